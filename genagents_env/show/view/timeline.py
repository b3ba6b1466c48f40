"""The resources that grow with a run: ticks, events, model calls, prompts, gatherings."""

from dataclasses import asdict
from pathlib import Path

from genagents_env.record import CallRow, RunReader
from genagents_env.record.calls import parse_messages
from genagents_env.record.rows import JSON
from genagents_env.study.evaluate.measures.gatherings import find_gathering_visits
from genagents_env.study.evaluate.run_data import RunData

PART = 512  # ticks; the page has the same number


def find_span(part: int) -> tuple[int, int]:
    """Return the first and the last tick of a part."""
    return part * PART, part * PART + PART - 1


def count_parts(last_tick: int) -> int:
    """Count the parts up to a tick; none before the first."""
    return last_tick // PART + 1


def make_ticks(run: RunReader, part: int) -> bytes:
    """Return x and y of everyone in the ticks of a part as little-endian int16, row by row."""
    return b"".join(at.astype("<i2").tobytes() for _, at in run.ticks(*find_span(part)))


def make_events(run: RunReader, part: int) -> dict[str, JSON]:
    """Return the events of a part, ordered by id; agents by their rows, -1 for nobody."""
    row = {name: index for index, name in enumerate(run.meta.names)}
    return {
        "events": [
            [event.id, event.tick, event.kind, row.get(event.agent or "", -1), dict(event.data)]
            for event in run.events(*find_span(part))
        ]
    }


def make_calls(run: RunReader, part: int) -> dict[str, JSON]:
    """Return the model calls of a part without their texts; agents by their rows."""
    row = {name: index for index, name in enumerate(run.meta.names)}
    return {
        "calls": [
            {
                "agent": row.get(call.agent, -1),
                "tick": call.tick,
                "purpose": call.purpose,
                "number": call.number,
                "outcome": call.outcome,
                "promptTokens": call.prompt_tokens,
                "completionTokens": call.completion_tokens,
                "dollars": None
                if (price := run.find_price(call.model)) is None
                else float(call.cost(price)),
                "seconds": call.latency_seconds,
                "model": call.model,
            }
            for call in run.list_calls(*find_span(part))
        ]
    }


def make_prompts(run: RunReader, agent: int, part: int) -> dict[str, JSON]:
    """Return the texts of an agent's calls in the ticks of a part, in the order of `calls/K`."""
    calls = run.list_calls(*find_span(part), run.meta.names[agent])
    return {"prompts": [_describe_prompt(run.path, call) for call in calls]}


def find_asked_parts(run: RunReader) -> set[tuple[int, int]]:
    """Return the agents and parts of which there are prompts."""
    row = {name: index for index, name in enumerate(run.meta.names)}
    calls = run.calls()
    return {(row[call.agent], call.tick // PART) for call in calls if call.agent in row}


def _describe_prompt(path: Path, call: CallRow) -> dict[str, JSON]:
    return {
        "tick": call.tick,
        "purpose": call.purpose,
        "number": call.number,
        "messages": [asdict(message) for message in parse_messages(path, call)],
        "reply": call.reply,
        "fault": call.fault,
    }


def make_gatherings(run: RunReader) -> dict[str, JSON]:
    """Return time, place and visitors of the scenario's gatherings."""
    data = RunData(run)
    return {
        "gatherings": [
            {
                "first": run.tick_at(gathering.start),
                "last": min(run.tick_at(gathering.end), data.last_tick),
                "place": gathering.place,
                "people": [data.row[visit.agent] for visit in gathering.visits],
            }
            for gathering in find_gathering_visits(data)
        ]
    }
