"""Answers without a model: what one has heard, matched to a question by the words they share."""

import re

from genagents_env.policy import Answer

from .life import Life

_EMPTY = frozenset(
    [
        "about",
        "anything",
        "been",
        "between",
        "could",
        "does",
        "from",
        "going",
        "happening",
        "have",
        "heard",
        "into",
        "know",
        "knows",
        "next",
        "said",
        "some",
        "someone",
        "something",
        "tell",
        "that",
        "their",
        "them",
        "there",
        "they",
        "think",
        "this",
        "today",
        "what",
        "when",
        "where",
        "which",
        "will",
        "with",
        "would",
        "your",
    ]
)


def answer(life: Life, question: str) -> Answer:
    """Return what this person has heard that the question asks for, and the events it rests on.

    What was known from the start rests on no event.
    """
    asked = _content(question)
    known = [fact for fact, said in life.facts.items() if asked & _content(said)]
    if not known:
        return Answer("No, I have not heard of that.")
    said = dict.fromkeys(life.facts[fact] for fact in known)
    evidence = tuple(life.sources[fact] for fact in known if fact in life.sources)
    return Answer("Yes. " + " ".join(said), evidence)


def _content(text: str) -> set[str]:
    """Return the words of `text` that say what it is about."""
    words = {word.removesuffix("'s") for word in re.findall(r"[a-z']+", text.lower())}
    return {word for word in words if len(word) > 3 and word not in _EMPTY}
