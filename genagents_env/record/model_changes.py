"""Which model answered, by its own word, and where that changed within a run."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from genagents_env.text import clean

_LIMIT = 100  # characters of a name

# Of each call, in the order of their ends: the model asked, what answered, its system, the tick.
ANSWERS = """SELECT calls.model, responses.model, responses.fingerprint, calls.tick FROM responses
    JOIN calls USING (agent, tick, purpose, number)
    WHERE responses.model != '' OR responses.fingerprint != ''
    ORDER BY calls.started_at + calls.latency_seconds, calls.tick"""


@dataclass(frozen=True, slots=True)
class ModelChange:
    """What was asked for by one name was answered by another model, or system, than before.

    Attributes:
        asked: the model asked for.
        before: what answered first, with its fingerprint where it has one.
        now: what answered next.
        tick: of the first call that it answered.
        more: changes after that one.
    """

    asked: str
    before: str
    now: str
    tick: int
    more: int = 0

    def describe(self) -> str:
        """Return it in one sentence."""
        more = f"; {self.more:,} more changes followed" if self.more else ""
        return (
            f"{self.asked} was answered by {self.before} at first, and by {self.now} "
            f"from tick {self.tick:,} on{more}"
        )


def list_model_changes(answers: Iterable[tuple[str, str, str, int]]) -> Iterator[ModelChange]:
    """Yield for each model asked for the first change of what answered; see `ANSWERS`."""
    seen: dict[str, list[tuple[str, int]]] = {}
    for asked, *said, tick in answers:
        runs = seen.setdefault(asked, [])
        name = _format(*said)
        if not runs or runs[-1][0] != name:
            runs.append((name, tick))
    for asked, ((before, _), *later) in seen.items():
        if later:
            now, tick = later[0]
            yield ModelChange(clean(asked, _LIMIT), before, now, tick, len(later) - 1)


def _format(model: str, fingerprint: str) -> str:
    name = clean(model, _LIMIT) or "a model without a name"
    return f"{name} ({clean(fingerprint, _LIMIT)})" if fingerprint else name
