"""How long conversations last, in game time."""

from statistics import fmean

from genagents_env.evaluate.measures.measure import measure, over
from genagents_env.evaluate.run_data import RunData
from genagents_env.evaluate.spans import spans

_LYFE = "Lyfe Agents (Kaiya et al. 2023), appendix A.1"


@measure(
    "conversation_seconds",
    "Conversation length",
    "game seconds",
    """The mean time from joining a conversation to leaving it, over all memberships that ended.
    None where none ended.""",
    _LYFE,
)
def conversation_seconds(data: RunData) -> float | None:
    """Return the mean."""
    seconds = [second for one in spans(data).lengths for second in one.seconds]
    return fmean(seconds) if seconds else None


@measure(
    "spoken_seconds",
    "Conversation length to the last word",
    "game seconds",
    """The mean time from joining a conversation to the last word said in it while one was a
    member, over all memberships that ended. None where none ended.""",
    f"{_LYFE}, without the silence that this town's rules wait for",
)
def spoken_seconds(data: RunData) -> float | None:
    """Return the mean."""
    seconds = [second for one in spans(data).lengths for second in one.spoken]
    return fmean(seconds) if seconds else None


@measure(
    "talking_time",
    "Time in conversations",
    "share",
    """Of the time in which agents were awake, the share in which they were in a conversation. None
    where nobody was awake.""",
    "ours",
)
def talking_time(data: RunData) -> float | None:
    """Return the share."""
    awake = data.awake[:, : data.ticks]
    return over((awake & data.talking[:, : data.ticks]).sum(), awake.sum())


def _left(reason: str, data: RunData) -> float | None:
    reasons = [one.reason for one in data.memberships if one.reason is not None]
    return over(sum(one == reason for one in reasons), len(reasons))


@measure(
    "ended_by_silence",
    "Ended by silence",
    "share",
    """Of the memberships in conversations that ended, the share that silence ended. None where
    none ended.""",
    "ours",
    "less",
)
def ended_by_silence(data: RunData) -> float | None:
    """Return the share."""
    return _left("silence", data)


@measure(
    "ended_by_limit",
    "Ended by the limit",
    "share",
    """Of the memberships in conversations that ended, the share that the rules ended because their
    agent had spoken as often as one may. None where none ended.""",
    "ours; talks that never end by themselves are a known failure of instruction-tuned models",
    "less",
)
def ended_by_limit(data: RunData) -> float | None:
    """Return the share."""
    return _left("limit", data)
