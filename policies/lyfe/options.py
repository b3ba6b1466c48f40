"""Options: what an agent does until it ends, and how it ends without asking a model.

Talking ends by time or when words repeat themselves, and then the agent reflects; walking ends on
arrival, which leads on to waiting where nobody is; who is found is talked to; waiting ends when
something happens, or of boredom. Source: Lyfe Agents, section 3.2 and appendix A.1; constants of
the release, which asks the controller after every arrival, also where nothing is new.
"""

from genagents_env.cognition.query import Moment
from genagents_env.rng import draw_unit

from . import repetition, senses, turns
from .mind import LyfeMind, LyfeOption, OptionKind

_ON_THE_WAY: tuple[OptionKind, ...] = ("go", "find")


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
    """Begin an option; the same again, where everything is decided at every tick, goes on."""
    now, before = moment.now, mind.option
    mind.option = LyfeOption(kind, target, subgoal, now)
    mind.fresh = False
    if kind == "talk":
        turns.begin(mind, moment)
    if kind == "find" and before.target == target:
        mind.option.heading, mind.option.looked = before.heading, before.looked


def end(mind: LyfeMind, now: int, *, ended: str = "", only: tuple[OptionKind, ...] = ()) -> None:
    """End the option: the controller is asked next, for one of `only` where that is given."""
    mind.option = LyfeOption("decide", begun=now, only=list(only), ended=ended)


def _settle_talk(mind: LyfeMind, moment: Moment) -> None:
    option, now = mind.option, moment.now
    talk = moment.percept.conversation
    alone = not mind.near and talk is None
    expired = now - option.begun >= mind.config.option_seconds
    if not (alone or expired or repetition.is_repetitive(mind)):
        return
    repetition.clear(mind)
    mind.turn.unsaid = ""
    said = any(i.speaker == mind.name and i.at >= option.begun for i in mind.work)
    if said or talk is not None:
        mind.option = LyfeOption("reflect", subgoal=option.subgoal, begun=now, ended="talk")
    else:  # the agent stood by and took no part
        end(mind, now, ended="talk")


def _settle_walk(mind: LyfeMind, moment: Moment) -> None:
    option, result, now = mind.option, moment.percept.result, moment.now
    moved = mind.last == "Move"
    if option.kind == "find" and option.target in mind.near:
        begin(mind, "talk", moment, target=option.target, subgoal=option.subgoal)
    elif option.kind == "go" and moved and result.arrived:
        _settle_arrival(mind, moment)
    elif option.kind == "go" and moved and not result.ok:
        words = f"I could not go to {option.target}: {result.text}"
        senses.notice_oneself(mind, words, now, feedback=True)
        end(mind, now, ended="go")
    elif now - option.begun >= mind.config.walk_seconds:
        senses.notice_oneself(mind, f"I have not reached {option.target}.", now, feedback=True)
        end(mind, now, ended=option.kind)
    elif mind.fresh and moment.percept.conversation is not None:
        end(mind, now)


def _settle_arrival(mind: LyfeMind, moment: Moment) -> None:
    """Think anew on meeting people; with nobody there, wait for what the agent came for."""
    if mind.near:
        mind.fresh = True
        end(mind, moment.now, ended="go")
    else:
        begin(mind, "wait", moment, subgoal=mind.option.subgoal)


def _settle_wait(mind: LyfeMind, moment: Moment) -> None:
    chance = mind.config.boredom_per_second * mind.services.seconds_per_tick
    if mind.fresh:
        end(mind, moment.now)
    elif draw_unit(mind.services.seed, "bored", moment.tick, mind.agent) < chance:
        mind.fresh = True
        end(mind, moment.now, ended="wait")
