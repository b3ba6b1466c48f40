"""What the agent may do now, in words the model chooses from, and the action each choice means."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from genagents_env.actions import Action, Idle, Interact, Move, Talk
from genagents_env.cognition.prompts import find_object
from genagents_env.cognition.routine import find_entry
from genagents_env.percept import Percept
from genagents_env.policy import Profile

from .mind import ReactiveActivity
from .reply import Decision

T = TypeVar("T")

KEEP_ON = "keep on"
LEAVE = "leave the conversation"
TALKING_SECONDS = 60  # how long the agent waits for an answer before that counts as finished
_NAME_LIMIT = 70
_OUTSIDE = "outside"  # the usual name of the ground between buildings: nowhere to go to


@dataclass(frozen=True, slots=True)
class ReactiveOption:
    """A choice: `kind` wait, plan, talk, leave, move or use; what it is aimed at.

    `doing`: what the agent does then, unless the reply says it in words of its own. `item`: the
    object that a plan puts into `state`.
    """

    kind: str
    target: str = ""
    state: str = ""
    doing: str = ""
    emoji: str = ""
    item: str = ""


@dataclass(frozen=True, slots=True)
class OptionLimits:
    """The most options of each kind."""

    people: int = 3
    places: int = 5
    objects: int = 3


def list_options(
    profile: Profile, percept: Percept, limits: OptionLimits, *, talk_first: bool
) -> dict[str, ReactiveOption]:
    """Return the choices by their words; never empty, and all but free of impossible ones.

    Small models lean to what stands first and to long words: where someone calls for it
    (`talk_first`) talking stands first, and the plan already under way is no choice of its own
    beside `KEEP_ON`; other places and things do not distract from the person.
    """
    me = percept.me
    talk, entry = percept.conversation, find_entry(profile, percept.time.time())
    talks = _list_talks(percept, limits.people)
    options = dict(talks) if talk_first else {}
    busy = talk_first and bool(talks) and entry is not None and _is_within(me.place, entry.place)
    if entry is not None and not busy:
        planned = (entry.state or "", entry.doing, entry.emoji, entry.use or "")
        options[_cut(f"your plan: {entry.doing}")] = ReactiveOption("plan", entry.place, *planned)
    if not talk_first:
        options[KEEP_ON] = ReactiveOption("wait")
    if talk is not None:
        options[LEAVE] = ReactiveOption("leave")
    options |= talks
    if talk_first and talks:
        limits = OptionLimits(limits.people, 0, 0)
    for place in _first(_list_places(profile, percept), limits.places):
        room = place.split("/")[-1]
        options[_cut(f"go to {place}")] = ReactiveOption(
            "move", place, doing=f"looking around {room}"
        )
    usable = [item for item in percept.objects if item.next_states]
    for item in _first(usable, limits.objects):
        label = f"set {item.name} to {item.next_states[0]}"
        using = ReactiveOption("use", item.id, item.next_states[0], f"using the {item.name}")
        options.setdefault(_cut(label), using)
    options.setdefault(KEEP_ON, ReactiveOption("wait"))
    return options


def _list_talks(percept: Percept, count: int) -> dict[str, ReactiveOption]:
    """List the people one may talk to: members of one's conversation, then the nearest awake."""
    talk, me = percept.conversation, percept.me.name
    if talk is not None and not talk.may_speak:
        return {}
    members = [name for name in talk.members if name != me] if talk is not None else []
    near = [person.name for person in percept.people if not person.asleep]
    names = _first(dict.fromkeys((*members, *near)), count)
    return {_cut(f"talk to {name}"): ReactiveOption("talk", name) for name in names}


def perform(
    decision: Decision,
    choices: Mapping[str, ReactiveOption],
    current: ReactiveActivity,
    percept: Percept,
    now: int,
) -> tuple[Action, ReactiveActivity]:
    """Return the action of a decision, and the activity that goes on after it.

    `current`: what the agent was doing, which keeping on continues, a walk included.
    """
    option, until = choices[decision.do], now + 60 * decision.minutes
    if option.kind == "wait" and _is_speaking_up(decision, choices):
        option = next(iter(choices.values()))
    if option.kind == "wait" and current.kind != "wait":
        return go_on(replace(current, until=until), percept)
    if option.kind == "talk" and decision.say:
        talking = f"talking to {option.target}"
        action = Talk(option.target, decision.say, doing=talking, emoji="💬")
        return action, ReactiveActivity("wait", "", "", talking, "💬", now + TALKING_SECONDS)
    doing = _choose_doing(option, decision, choices) or current.doing or percept.me.doing
    resting = ReactiveActivity("wait", "", "", doing, option.emoji, until)
    if option.kind == "leave":
        return Talk(None, decision.say, leave=True), resting
    if option.kind in ("move", "use"):
        return go_on(
            ReactiveActivity(option.kind, option.target, option.state, doing, "", until), percept
        )
    if option.kind == "plan" and _is_to_be_used(option, percept):
        return go_on(
            ReactiveActivity("use", option.item, option.state, doing, option.emoji, until), percept
        )
    if option.kind == "plan" and not _is_within(percept.me.place, option.target):
        return go_on(
            ReactiveActivity("move", option.target, "", doing, option.emoji, until), percept
        )
    return go_on(resting, percept)


def _is_speaking_up(decision: Decision, choices: Mapping[str, ReactiveOption]) -> bool:
    """Return True if an agent that keeps on says something to the person who calls for it.

    Where talking stands first, someone is there to be answered or greeted. Small models often
    write what they would say and yet choose to keep on: a whole sentence is taken as said.
    """
    said = decision.say.casefold()
    sentence = " " in said and said != decision.doing.casefold()
    first = next(iter(choices.values()))
    return first.kind == "talk" and sentence and all(said not in c.casefold() for c in choices)


def _is_to_be_used(plan: ReactiveOption, percept: Percept) -> bool:
    """Return True if the plan's object still has to be put into its state, as far as is known."""
    seen = find_object(percept, plan.item)
    return bool(plan.item and plan.state) and (seen is None or plan.state in seen.next_states)


def _choose_doing(option: ReactiveOption, decision: Decision, choices: Collection[str]) -> str:
    """Return what the agent is seen doing: the plan's words, the reply's, or those of the choice.

    Small models fill the field with a single word, or repeat a choice or what they say: none
    of that is shown.
    """
    said, others = decision.doing, (*choices, decision.say or "\n")
    full = " " in said or said.endswith("ing")
    copied = any(
        said.casefold() in other.casefold() or other.casefold() in said.casefold()
        for other in others
    )
    return said if full and not copied and option.kind != "plan" else option.doing


def go_on(activity: ReactiveActivity, percept: Percept) -> tuple[Action, ReactiveActivity]:
    """Return the action that continues an activity, and the activity after it.

    `use` walks to the object and then uses it; a walk that has ended turns into `doing`.
    """
    doing = activity.doing or None
    if activity.kind == "use":
        seen = find_object(percept, activity.target)
        if seen is not None and seen.usable:
            return Interact(activity.target, activity.state, doing, activity.emoji or "✋"), stop(
                activity
            )
        return Move(activity.target), activity
    if activity.kind == "move":
        return Move(activity.target), activity
    kept = percept.me.emoji if activity.doing == percept.me.doing else "🙂"
    return Idle(doing, activity.emoji or kept), activity


def is_over(activity: ReactiveActivity, percept: Percept) -> bool:
    """Return True if the walk of an activity has ended: arrived, or not possible."""
    if activity.kind == "wait":
        return False
    if not percept.result.ok:
        return True
    usable = any(item.id == activity.target and item.usable for item in percept.objects)
    return percept.result.arrived and not (activity.kind == "use" and usable)


def stop(activity: ReactiveActivity) -> ReactiveActivity:
    """Return the activity once its walk is over, for whatever reason."""
    return replace(activity, kind="wait", target="", state="")


def _list_places(profile: Profile, percept: Percept) -> list[str]:
    """Return the places worth naming: of the routine, of the agent, then the buildings known."""
    entry = find_entry(profile, percept.time.time())
    own = [entry.place if entry is not None else "", profile.workplace or "", profile.home]
    here = percept.me.place
    taken = [here]
    for place in (*own, *(p for p in percept.known if "/" not in p and p != _OUTSIDE)):
        if place and not any(
            _is_within(place, other) or _is_within(other, place) for other in taken
        ):
            taken.append(place)
    return taken[1:]


def _is_within(place: str, other: str) -> bool:
    """Return True if `place` is `other` or a part of it."""
    return place == other or place.startswith(f"{other}/")


def _first(items: Iterable[T], count: int) -> list[T]:
    return list(items)[:count]


def _cut(label: str) -> str:
    return label[:_NAME_LIMIT]
