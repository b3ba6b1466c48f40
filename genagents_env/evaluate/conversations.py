"""What was said in conversations, by whom and to whom: counts from which measures are taken."""

import re
from collections import Counter

import numpy as np
import numpy.typing as npt

from genagents_env.evaluate.run_data import RunData

Counts = npt.NDArray[np.int64]

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


def words_of(text: str) -> list[str]:
    """Return the words of `text`, in small letters: runs of letters and digits.

    Apostrophes inside a word belong to it and are made straight.
    """
    return _WORD.findall(text.replace("\u2019", "'").casefold())


def partners(data: RunData) -> tuple[tuple[str, ...], Counts]:
    """Return who talked to whom.

    Returns:
        The names, and the counts: shape (N, N), how many utterances of the row's agent the
        column's agent heard as one of those addressed, in a conversation or out of it.
    """
    counts: Counts = np.zeros((len(data.names), len(data.names)), dtype=np.int64)
    for event in data.utterances:
        speaker = data.row[event.agent or ""]
        for name in event.data["addressed"]:
            hearer = data.row.get(name, speaker)
            if hearer != speaker and name in event.data["heard_by"]:
                counts[speaker, hearer] += 1
    return data.names, counts


def spoken_in(data: RunData) -> dict[int, dict[str, int]]:
    """Return for each conversation in which something was said how often each agent spoke."""
    found: dict[int, Counter[str]] = {}
    for event in data.utterances:
        conversation = event.data["conversation"]
        if conversation is not None and event.agent is not None:
            found.setdefault(conversation, Counter())[event.agent] += 1
    return {id_: dict(counts) for id_, counts in found.items()}


def members_of(data: RunData) -> dict[int, int]:
    """Return for each conversation how many agents were ever in it."""
    found: dict[int, dict[str, None]] = {}
    for one in data.memberships:
        found.setdefault(one.conversation, {})[one.agent] = None
    return {id_: len(agents) for id_, agents in found.items()}
