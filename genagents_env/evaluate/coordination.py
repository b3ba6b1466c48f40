"""Whether word of a gathering brought people together, and why some stayed away.

Definition: *invited* is everybody but the host who knew of it before it began, from the start or by
hearing its fact; *came* are those of the invited who were in its place while it went on; others
there, but for the host, are *passers-by*. The invited who stayed away are sorted by their answer.
Source: Park et al. 2023, section 7.1: 12 invited, 5 came; of 7, 3 conflicts and 4 meant well.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from genagents_env.evaluate.interviews import Reply
from genagents_env.evaluate.knowledge import Spread
from genagents_env.evaluate.presence import Visit
from genagents_env.evaluate.reasons import Reason, reason
from genagents_env.record.rows import JSON
from genagents_env.scenario.schema import Gathering


@dataclass(frozen=True, slots=True)
class Coordination:
    """One gathering: names in the order of hearing of it, or of coming.

    `reasons`: for those of the invited who stayed away and were asked, the kind of reason they
    gave; `unasked` are the others. Where no interview was held everybody is unasked.
    """

    gathering: str
    host: str | None
    invited: tuple[str, ...]
    came: tuple[str, ...]
    passers_by: tuple[str, ...]
    reasons: tuple[tuple[str, Reason], ...]
    unasked: tuple[str, ...]

    def gave(self, kind: Reason) -> tuple[str, ...]:
        """Return who of the invited stayed away and gave this kind of reason."""
        return tuple(name for name, given in self.reasons if given == kind)

    def as_json(self) -> dict[str, JSON]:
        """Return it as JSON values: names, and the reason of each who was asked for one."""
        return {
            "host": self.host,
            "invited": list(self.invited),
            "came": list(self.came),
            "passers_by": list(self.passers_by),
            "reasons": dict(self.reasons),
            "unasked": list(self.unasked),
        }


def coordination(
    gathering: Gathering,
    first_tick: int,
    spread: Spread,
    visits: Sequence[Visit],
    questions: Iterable[str],
    given: Iterable[Reply],
) -> Coordination:
    """Return how a gathering with a fact went.

    Args:
        gathering: of the scenario.
        first_tick: in which it begins.
        spread: of the gathering's fact.
        visits: to its place while it went on.
        questions: the ids of the questions about it.
        given: the answers after the run; others among them are passed over.
    """
    heard = [hearing.agent for hearing in spread.heard if hearing.tick < first_tick]
    invited = [name for name in (*spread.at_start, *heard) if name != gathering.host]
    there = [visit.agent for visit in visits if visit.agent != gathering.host]
    wanted, away = frozenset(questions), [name for name in invited if name not in there]
    answers: dict[str, str] = {}
    for reply in given:
        if reply.asked.question_id in wanted:
            answers[reply.asked.agent] = f"{answers.get(reply.asked.agent, '')} {reply.text}"
    return Coordination(
        gathering.id,
        gathering.host,
        tuple(invited),
        tuple(name for name in there if name in invited),
        tuple(name for name in there if name not in invited),
        tuple((name, reason(answers[name])) for name in away if name in answers),
        tuple(name for name in away if name not in answers),
    )
