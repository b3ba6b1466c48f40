"""Options: what an agent does until it ends, and how it ends without asking a model.

Talking ends by time or when words repeat themselves, but not while an answer is owed, and then the
agent reflects where enough is new; walking ends on arrival, which leads on to waiting where nobody
is, and when one is spoken to; who is found is talked to at once, and followed where they walk on
unheard, and on the way one stands still for who looks for one; waiting ends when something
happens, after a minute where the person one came for is not there, or of boredom. Source: Lyfe
Agents, section 3.2 and appendix A.1; constants of the release, which asks the controller after
every arrival, also where nothing is new.
"""

from genagents_env.cognition import names
from genagents_env.cognition.query import Moment
from genagents_env.rng import draw_unit

from . import questions, repetition, senses, turns
from .mind import LyfeMind, LyfeOption, OptionKind

_ON_THE_WAY: tuple[OptionKind, ...] = ("go", "find")
_FOLLOWS = 3  # times that somebody who was found and walks on is followed (ours)
_ALONE = 60  # seconds after which one who came for a person asks what now (ours)
_STOPS = 90  # seconds that one stands still for somebody who is looking for one (ours)


def settle(mind: LyfeMind, moment: Moment) -> None:
    """End the current option where it is over; every one is where there are no options."""
    if mind.option.kind == "talk":
        _settle_talk(mind, moment)
    elif mind.option.kind in _ON_THE_WAY:
        _settle_walk(mind, moment)
    elif mind.option.kind == "wait":
        _settle_wait(mind, moment)
    if not mind.config.option_action and not mind.is_busy("controller"):
        mind.option.kind = "decide"


def begin(
    mind: LyfeMind, kind: OptionKind, moment: Moment, *, target: str = "", subgoal: str = ""
) -> None:
    """Begin an option; the same again, where everything is decided at every tick, goes on.

    Waiting without a purpose of its own is for what the option before was for.
    """
    now, before = moment.now, mind.option
    if kind == "wait":
        subgoal = subgoal or before.subgoal or before.before
    mind.option = LyfeOption(kind, target, subgoal, now)
    mind.fresh = False
    if kind == "talk":
        turns.begin(mind, moment, before.kind == "find")
    if kind == "find" and before.target == target:
        mind.option.heading, mind.option.looked = before.heading, before.looked


def end(
    mind: LyfeMind,
    now: int,
    *,
    ended: OptionKind | None = None,
    only: tuple[OptionKind, ...] = (),
    outcome: str = "",
) -> None:
    """End the option: the controller is asked next.

    Args:
        mind: whose.
        now: game second.
        ended: what is over and seldom chosen again at once; None where it was only broken off.
        only: what may be chosen, everything where it is empty.
        outcome: what it came to, in a sentence.
    """
    before = mind.option
    mind.option = LyfeOption(
        "decide",
        begun=now,
        only=list(only),
        ended=ended or "",
        before=before.subgoal or before.before,
        outcome=outcome,
        refusals=before.refusals,
    )


def give_up(mind: LyfeMind, now: int) -> None:
    """Stop being on the way: the place is out of reach, or the person in none of those known."""
    option = mind.option
    words = f"I have not reached {option.target}."
    if option.kind == "find":
        mind.missed[option.target] = now
        places = ", ".join(option.looked) or "where I know to look"
        words = f"I looked for {option.target} ({places}) and did not find anybody of that name."
    senses.notice_oneself(mind, words, now, feedback=True)
    end(mind, now, ended=option.kind, outcome=f"You did not find {option.target}.")


def is_closing(mind: LyfeMind, now: int) -> bool:
    """Return True if the time of a talk is over, and it only goes on for an answer."""
    option = mind.option
    over = now - option.begun >= mind.config.option_seconds
    return option.kind == "talk" and (over or option.leaving)


def _settle_talk(mind: LyfeMind, moment: Moment) -> None:
    option, now = mind.option, moment.now
    if mind.near or moment.percept.conversation is not None:
        repetitive = repetition.is_repetitive(mind)
        if not (repetitive or is_closing(mind, now)):
            return
        last = option.begun + mind.config.option_seconds + mind.config.closing_seconds
        if questions.is_owed(mind, now) and now < last:
            return
        outcome = _describe_end(mind, now, repetitive)
    elif _follow(mind, moment):
        return
    else:
        outcome = f"{option.target or 'Nobody'} is not here any more."
        mind.fresh = True
    repetition.clear(mind)
    mind.turn.unsaid = ""
    said = any(i.speaker == mind.name and i.at >= option.begun for i in mind.work)
    took_part = said or moment.percept.conversation is not None
    only: tuple[OptionKind, ...] = ("go", "find") if option.leaving else ()
    if took_part and not only and mind.unthought >= mind.config.reflect_after:
        mind.option = LyfeOption(
            "reflect",
            subgoal=option.subgoal,
            begun=now,
            ended="talk",
            before=option.subgoal,
            outcome=outcome,
        )
        return
    mind.fresh = mind.fresh or took_part
    end(mind, now, ended="talk", only=only, outcome=outcome)


def _follow(mind: LyfeMind, moment: Moment) -> bool:
    """Look on for somebody who was found and has walked on before a word was said."""
    option, times = mind.option, mind.option.found
    said = any(item.speaker and item.at >= option.begun for item in mind.work)
    if said or not 0 < times <= _FOLLOWS:
        return False
    begin(mind, "find", moment, target=option.target, subgoal=option.subgoal)
    mind.option.found = times
    mind.turn.unsaid = ""
    return True


def _describe_end(mind: LyfeMind, now: int, repetitive: bool) -> str:
    option = mind.option
    whom = option.target or "the others"
    if option.leaving:
        return f"You told {whom} that you would go."
    if repetitive:
        return f"Your talk with {whom} began to go round in circles."
    minutes = max(1, round((now - option.begun) / 60))
    return f"You talked with {whom} for {minutes} minute{'s' if minutes > 1 else ''}."


def _settle_walk(mind: LyfeMind, moment: Moment) -> None:
    option, result, now = mind.option, moment.percept.result, moment.now
    moved = mind.last == "Move"
    if option.kind == "find" and option.target in mind.near:
        begin(mind, "talk", moment, target=option.target, subgoal=option.subgoal)
        mind.option.found = option.found + 1
    elif option.kind == "go" and moved and result.arrived:
        _settle_arrival(mind, moment)
    elif option.kind == "go" and moved and not result.ok:
        words = f"I could not go to {option.target}: {result.text}"
        senses.notice_oneself(mind, words, now, feedback=True)
        end(mind, now, ended="go", outcome=f"You could not go to {option.target}.")
    elif now - option.begun >= mind.config.walk_seconds:
        give_up(mind, now)
    elif mind.fresh and moment.percept.conversation is not None:
        _break_off(mind, now, "you were spoken to")


def _break_off(mind: LyfeMind, now: int, what: str) -> None:
    doing = "going to" if mind.option.kind == "go" else "looking for"
    end(mind, now, outcome=f"You were {doing} {mind.option.target} when {what}.")


def find_seeker(mind: LyfeMind, now: int) -> str:
    """Find somebody to stop for on one's way: one who looks for the agent and is not sought."""
    late = (name for name, at in mind.seekers.items() if now - at < _STOPS)
    return next((name for name in late if name != mind.option.target), "")


def _settle_arrival(mind: LyfeMind, moment: Moment) -> None:
    """Think anew on meeting people; with nobody there, wait for what the agent came for."""
    if mind.near:
        mind.fresh = True
        end(mind, moment.now, ended="go", outcome=f"You have come to {mind.option.target}.")
    else:
        begin(mind, "wait", moment, target=mind.option.target, subgoal=mind.option.subgoal)


def _settle_wait(mind: LyfeMind, moment: Moment) -> None:
    chance = mind.config.boredom_per_second * mind.services.seconds_per_tick
    if mind.fresh:
        end(mind, moment.now, outcome="You were waiting when something came up.")
    elif _came_for_nobody(mind, moment):
        mind.fresh = True
        outcome = f"You have waited at {mind.option.target}; nobody is here."
        end(mind, moment.now, ended="wait", outcome=outcome)
    elif draw_unit(mind.services.seed, "bored", moment.tick, mind.agent) < chance:
        mind.fresh = True
        end(mind, moment.now, ended="wait", outcome="You have waited for a while.")


def _came_for_nobody(mind: LyfeMind, moment: Moment) -> bool:
    """Return True if the agent came here for a person, and nobody has been here for a minute."""
    option = mind.option
    if option.target not in moment.percept.known or mind.near:
        return False
    if moment.now - option.begun < _ALONE:
        return False
    others = [*mind.people, *mind.named]
    return any(
        names.find_mention(name, option.subgoal, mind.list_roles(name)) is not None
        for name in others
    )
