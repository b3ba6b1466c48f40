"""The resource `notices`: what of a run was degraded or cut, and where its model changed.

It reads every model call, so it is not a part of `head`, for which the page waits.
"""

from genagents_env.evaluate.run_text import (
    describe_cuts,
    describe_degradation,
    describe_model_changes,
)
from genagents_env.record import RunReader
from genagents_env.record.rows import JSON


def make_notices(run: RunReader) -> dict[str, JSON]:
    """Return what to know of a run, a sentence each."""
    return {
        "notices": [
            *describe_degradation(run.find_degradation()),
            *describe_model_changes(run.find_model_changes()),
            *describe_cuts(run.find_prompt_cuts()),
        ]
    }
