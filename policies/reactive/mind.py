"""What a reactive person carries from tick to tick, and what makes them think."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from genagents_env.percept import HeardWords, Percept

from .config import ReactiveConfig

HOUR = 3600
LINES_KEPT = 20  # remembered at most, whatever the configuration shows of them
_FACTS = 2


@dataclass(frozen=True, slots=True)
class ReactiveActivity:
    """What the agent is doing: `move` or `use` a target, then `doing` it until second `until`."""

    kind: str = "wait"
    target: str = ""
    state: str = ""
    doing: str = ""
    emoji: str = ""
    until: int = 0


@dataclass(frozen=True, slots=True)
class RememberedLine:
    """Something heard, said or told: by whom or what, the words, and the event of the record.

    `event` is -1 for the agent's own words, whose event is not known yet when they are remembered.
    """

    source: str
    text: str
    event: int = -1


@dataclass(frozen=True, slots=True)
class ReactiveMind:
    """The memory of one agent, immutable; JSON values only. Times are seconds since the start.

    `tick`: of the moment: one after the last percept, 0 before the first. `decisions`: when one
    decided, within the last hour. `seen`: when each person was last in sight. `lines`: the last
    things heard and done. `facts`: fact ids with who said them how. `why`: reasons to decide that
    have not been answered yet; `urgent`: one of them cannot wait; `social`: someone came or spoke
    to the agent.
    """

    tick: int = 0
    activity: ReactiveActivity = field(default_factory=ReactiveActivity)
    decisions: tuple[int, ...] = ()
    seen: Mapping[str, int] = field(default_factory=dict)
    lines: tuple[RememberedLine, ...] = ()
    facts: tuple[tuple[str, RememberedLine], ...] = ()
    why: tuple[str, ...] = ("The day begins.",)
    urgent: bool = False
    social: bool = False
    awake: bool = True

    def is_ready(self, now: int, config: ReactiveConfig) -> bool:
        """Return True if there is a reason to decide now, and thinking so often is allowed."""
        if not self.why or self.count_decisions(now) >= config.decisions_per_hour:
            return False
        rested = not self.decisions or now - self.decisions[-1] >= config.decide_seconds
        return self.urgent or rested

    def count_decisions(self, now: int) -> int:
        """Return the number of decisions in the hour before `now`."""
        return sum(1 for second in self.decisions if now - second < HOUR)


def notice(mind: ReactiveMind, percept: Percept, now: int, config: ReactiveConfig) -> ReactiveMind:
    """Return the mind after taking in a percept: new memories, and reasons to decide."""
    moment = percept.tick + 1
    if percept.me.asleep:
        return replace(mind, tick=moment, awake=False, why=(), urgent=False, social=False)
    why: list[str] = [] if mind.awake else ["You have just woken up."]
    lines, facts, urgent = list(mind.lines), dict(mind.facts), mind.urgent
    for heard in percept.heard:
        source = heard.speaker if heard.speaker is not None else heard.kind
        line = RememberedLine(source, heard.text, heard.event_id)
        lines.append(line)
        for fact in heard.facts:
            facts.setdefault(fact, line)
        reason, pressing = _find_reason(heard, percept)
        why.append(reason)
        urgent = urgent or pressing
    newcomers = [
        person.name
        for person in percept.people
        if not person.asleep
        and now - mind.seen.get(person.name, -(10**9)) > config.forget_minutes * 60
    ]
    why += [f"{name} is here: greet?" for name in newcomers]
    why += _list_outcomes(mind.activity, percept, now)
    if not percept.result.ok:
        lines.append(RememberedLine("result", percept.result.text))
    return replace(
        mind,
        tick=moment,
        seen=_update_seen(mind.seen, percept, now),
        lines=tuple(lines[-LINES_KEPT:]),
        facts=tuple(facts.items())[-_FACTS:],
        why=tuple(dict.fromkeys((*mind.why, *why)))[-3:],
        urgent=urgent,
        social=mind.social or urgent or bool(newcomers),
        awake=True,
    )


def note_decision(
    mind: ReactiveMind, activity: ReactiveActivity, now: int, line: RememberedLine | None
) -> ReactiveMind:
    """Return the mind after a decision for `activity`."""
    recent = tuple(second for second in mind.decisions if now - second < HOUR)
    lines = mind.lines if line is None else (*mind.lines, line)[-LINES_KEPT:]
    return clear_reasons(replace(mind, activity=activity, decisions=(*recent, now), lines=lines))


def clear_reasons(mind: ReactiveMind) -> ReactiveMind:
    """Return the mind without reasons to decide."""
    return replace(mind, why=(), urgent=False, social=False)


def _find_reason(heard: HeardWords, percept: Percept) -> tuple[str, bool]:
    """Return why these words call for a decision, and whether at once."""
    if heard.kind == "news":
        return "There is news.", False
    if heard.kind == "thought":
        return "A thought came to you.", True
    if heard.kind == "notice" or heard.speaker is None:
        return "You were told something.", False
    talk = percept.conversation
    if heard.addressed or (talk is not None and heard.speaker in talk.members):
        return f"{heard.speaker} spoke to you: answer.", True
    return f"You overheard {heard.speaker}.", False


def _list_outcomes(activity: ReactiveActivity, percept: Percept, now: int) -> list[str]:
    if not percept.result.ok:
        return ["Your last action did not work."]
    if activity.kind == "move" and percept.result.arrived:
        return ["You have arrived."]
    if activity.kind == "wait" and 0 < activity.until <= now:
        return ["You have finished."]
    return []


def _update_seen(seen: Mapping[str, int], percept: Percept, now: int) -> Mapping[str, int]:
    names = [person.name for person in percept.people if not person.asleep]
    return {**seen, **dict.fromkeys(names, now)} if names else seen
