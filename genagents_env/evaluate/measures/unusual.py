"""Things done in unusual places: the first failure that the original paper names."""

from genagents_env.evaluate.activities import Doing, doings
from genagents_env.evaluate.measures.measure import measure, over
from genagents_env.evaluate.run_data import RunData

_PARK = (
    "failure named in Park et al. 2023, section 7.2: lunch at a bar meant for the evening; the "
    "rule by words (`evaluate/activities.toml`, English) is ours"
)
_DECIDED = """the time in which agents were awake and showed an activity that `activities.toml`
    knows, in a place of a kind that it knows"""


def _time(found: tuple[Doing, ...], verdict: str = "") -> float:
    return sum(one.seconds for one in found if not verdict or one.verdict == verdict)


@measure(
    "unusual_places",
    "Unusual places",
    "share",
    f"""Of {_DECIDED}, the share in a place of no kind that is usual for the activity. None without
    such time.""",
    _PARK,
    "less",
)
def unusual_places(data: RunData) -> float | None:
    """Return the share."""
    found = doings(data)
    return over(_time(found, "unusual"), _time(found))


@measure(
    "decided_places",
    "Activities that can be placed",
    "share",
    f"""Of the time in which agents were awake, the share that is {_DECIDED}: how much
    `unusual_places` rests on. None where nobody was awake.""",
    _PARK,
)
def decided_places(data: RunData) -> float | None:
    """Return the share."""
    second = data.meta.seconds_per_tick
    awake = float(data.awake[:, : data.ticks].sum()) * second
    return over(_time(doings(data)), awake)
