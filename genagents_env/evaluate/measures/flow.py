"""How facts flowed: received, stored, retrieved."""

from genagents_env.evaluate.flow import flows
from genagents_env.evaluate.measures.measure import measure
from genagents_env.evaluate.run_data import RunData

_LYFE = (
    "Lyfe Agents (Kaiya et al. 2023), section 5.1 and figure 3c-d, which print no definition; "
    "this one is ours"
)


@measure(
    "received",
    "Received",
    "share",
    """Of those who did not know the fact at the start, the share who heard it in the run. One for
    each fact; none where everybody knew it, and before any time has passed.""",
    _LYFE,
    "more",
)
def received(data: RunData) -> dict[str, float | None]:
    """Return the share by fact."""
    return {one.fact: one.p_receive if data.ticks else None for one in flows(data)}


@measure(
    "stored",
    "Stored",
    "share",
    """Of those who heard the fact first in the run, the share who hold a memory at the end in
    which it is recognised. One for each fact; none where nobody heard it, or the record has no
    memories of the end.""",
    _LYFE,
    "more",
)
def stored(data: RunData) -> dict[str, float | None]:
    """Return the share by fact."""
    return {one.fact: one.p_store for one in flows(data)}


@measure(
    "retrieved",
    "Retrieved",
    "share",
    """Of those who heard the fact first in the run and stored it, the mean share of the interviews
    after the run in which an answer shows it. One for each fact; none where nobody stored it or
    nobody was asked.""",
    _LYFE,
    "more",
)
def retrieved(data: RunData) -> dict[str, float | None]:
    """Return the share by fact."""
    return {one.fact: one.p_retrieve for one in flows(data)}
