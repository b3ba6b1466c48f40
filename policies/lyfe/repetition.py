"""Repetition: whether a talk goes round in circles, by the similarity of utterances.

Source: Lyfe Agents (Kaiya et al. 2023), section 3.2, which looks at the agent's words; the public
release, whose constants these are, at those heard.
"""

from genagents_env.memory.columns import compare

from .mind import LyfeMind


async def note_utterance(mind: LyfeMind, text: str, own: bool) -> None:
    """Note an utterance, and whether it is much like one of the last so many.

    Args:
        mind: whose ears and mouth they are.
        text: the words; nothing is noted where there are none.
        own: they are the agent's own; whether these count, or others', or both, is configured.
    """
    config = mind.config
    if not text or config.repetition_of == ("heard" if own else "own"):
        return
    rows = await mind.services.embed([*mind.uttered, text])
    likeness = compare(rows[:-1], rows[-1:])
    mind.repeats.append(bool((likeness > config.repetition_above).any()))
    mind.uttered.append(text)
    del mind.uttered[: -config.repetition_window], mind.repeats[: -config.repetition_window]


def is_repetitive(mind: LyfeMind) -> bool:
    """Return True if enough of the utterances looked back on repeat an earlier one."""
    return sum(mind.repeats) >= mind.config.repetition_times


def clear(mind: LyfeMind) -> None:
    """Forget what was uttered: a talk is over."""
    mind.uttered, mind.repeats = [], []
