"""When people spoke of a check's values, aloud or in their own summaries: change over time.

An entry is a mention by the check's patterns and no more: who names a suspect to clear them is
entered like one who accuses. What people believe is shown by the interviews.
Source: Lyfe Agents (Kaiya et al. 2023), section 5.1.1 and figure 4, where a summary shows a change
of mind about the suspect.
"""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Literal

from genagents_env.evaluate.checks import find_value
from genagents_env.evaluate.run_data import RunData, once_per_run
from genagents_env.memory.content import read_reply
from genagents_env.record.rows import JSON, CallRow
from genagents_env.scenario import Scenario
from genagents_env.scenario.schema import ValueCheck
from genagents_env.world.events import Event

MONITOR = "monitor."  # with what the purposes of a self-monitor's calls begin


@dataclass(frozen=True, slots=True)
class Opinion:
    """One mention of a check's value.

    Attributes:
        check: its id.
        agent: who said it, or whose summary it is.
        tick: of the utterance, or of the call in which the summary was asked for.
        value: by the check's rule; `otherwise` where several are mentioned and the check says so.
        source: an utterance, or the summary by the self-monitor.
    """

    check: str
    agent: str
    tick: int
    value: str
    source: Literal["said", "summary"]

    def as_json(self) -> dict[str, JSON]:
        """Return it as JSON values."""
        return asdict(self)


@once_per_run
def find_opinions(data: RunData) -> tuple[Opinion, ...]:
    """Return the mentions of the values of all value checks of a run; see `find_mentions`."""
    if not any(isinstance(check, ValueCheck) for check in data.scenario.checks):
        return ()
    return find_mentions(data.scenario, data.events, data.calls)


def find_mentions(
    scenario: Scenario, events: Iterable[Event], calls: Iterable[CallRow]
) -> tuple[Opinion, ...]:
    """Return every mention of a value, check by check, each in the order of ticks and agents.

    Texts in which no pattern is found, and checks without patterns, give nothing.

    Args:
        scenario: of the run.
        events: of the run, in order; utterances nobody heard are in.
        calls: of the models; those of other purposes, and those that fell back, are passed over.
    """
    texts = [*_list_utterances(events), *_list_summaries(calls)]
    texts.sort(key=lambda text: (text[1], text[0]))  # stable: one agent's texts stay in order
    return tuple(
        Opinion(check.id, agent, tick, value, source)
        for check in scenario.checks
        if isinstance(check, ValueCheck)
        for agent, tick, source, words in texts
        if (value := find_value(check, words)) is not None
    )


_Text = tuple[str, int, Literal["said", "summary"], str]


def _list_utterances(events: Iterable[Event]) -> Iterator[_Text]:
    for event in events:
        if event.kind == "say" and event.agent is not None:
            yield event.agent, event.tick, "said", str(event.data["text"])


def _list_summaries(calls: Iterable[CallRow]) -> Iterator[_Text]:
    for call in calls:
        if call.purpose.startswith(MONITOR) and call.outcome == "reply":
            summary = read_reply(call).get("summary")
            if isinstance(summary, str):
                yield call.agent, call.tick, "summary", summary
