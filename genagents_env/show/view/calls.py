"""The resources `calls/K` and `prompts/AGENT/K`: what models were asked, and what they replied."""

from dataclasses import asdict
from pathlib import Path

from genagents_env.record import CallRow, RunReader
from genagents_env.record.calls import parse_messages
from genagents_env.record.rows import JSON
from genagents_env.show.view.parts import PART, find_span


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
