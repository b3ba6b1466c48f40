"""Answers without a model: whom it knows, and what was heard that shares words with a question."""

import re

from genagents_env.policy import Answer, Profile

from .state import ScriptedState

_NEWS = re.compile(r"\b(?:any|what) news\b|\bwhat(?: is|'s) (?:the news|new)\b", re.IGNORECASE)
_MEETING = re.compile(r"\bwho(?:m)? (?:did|have) you (?:meet|met|see|seen)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|')*")
# Chinese, Japanese and Korean: there are no blanks between words, so each two characters are one.
_DENSE = re.compile(r"[\u3400-\u9fff\u30a0-\u30ff\uac00-\ud7a3]{2,}")
_NAME = re.compile(r"[A-Z]\w+(?: [A-Z]\w+)+")  # several words, each with a capital
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


def answer_question(memory: ScriptedState, profile: Profile, question: str) -> Answer:
    """Answer a question by what this person knows, with the events it rests on.

    First of the people it names, then of what was heard; of all that was heard where it asks for
    news, and of everybody who was heard to speak where it asks whom it met. What was known from the
    start rests on no event.
    """
    sentences = _describe_people(memory, profile, question)
    for fact, said in memory.facts.items():
        if _find_content(_leave_out_others(question, said)) & _find_content(said):
            source = memory.sources.get(fact)
            sentences.setdefault(said, set()).update(() if source is None else (source,))
    if not sentences:
        return _answer_open(memory, question) or Answer("No, I have not heard of that.")
    evidence = set().union(*sentences.values())
    return Answer("Yes. " + " ".join(sentences), tuple(sorted(evidence)))


def _describe_people(memory: ScriptedState, profile: Profile, question: str) -> dict[str, set[int]]:
    """Return a sentence about each person named whom the agent knows or heard, with its events."""
    ties = profile.relationships
    sentences: dict[str, set[int]] = {}
    for name in dict.fromkeys((*ties, *memory.voices)):
        if name in question and name != profile.name:
            events = {memory.voices[name]} if name in memory.voices else set()
            tie = f": {ties[name]}" if name in ties else ""
            sentences[f"I know {name}{tie}."] = events
    return sentences


def _answer_open(memory: ScriptedState, question: str) -> Answer | None:
    """Return all news, or everybody met, with the events; None if the question is about neither."""
    if _NEWS.search(question):
        heard = {memory.facts[fact]: event for fact, event in memory.sources.items()}
        return Answer(
            " ".join(heard) or "Nothing that was new to me.", tuple(sorted(heard.values()))
        )
    if _MEETING.search(question):
        met = [name for name in memory.met if name in memory.voices]  # others were only greeted
        events = sorted(memory.voices[name] for name in met)
        return Answer(f"I met {', '.join(met)}." if met else "Nobody.", tuple(events))
    return None


def _leave_out_others(question: str, said: str) -> str:
    """Return the question without whole names that `said` has not: a surname has many bearers."""

    def keep(found: re.Match[str]) -> str:
        words = found[0].split()
        names = (" ".join(words[k:]) for k in range(len(words) - 1))  # "Is Sam Moore"
        return found[0] if any(name in said for name in names) else ""

    return _NAME.sub(keep, question)


def _find_content(text: str) -> set[str]:
    """Return the words of `text` that say what it is about."""
    words = {word.removesuffix("'s") for word in _WORD.findall(text.lower())}
    pairs = {run[k : k + 2] for run in _DENSE.findall(text) for k in range(len(run) - 1)}
    return pairs | {word for word in words if len(word) > 3 and word not in _EMPTY}
