r"""Reading an interview answer by rule: does it claim to know what was asked?

The answer is cut into clauses at the ends of sentences and before words such as *but*. Clauses that
ask back, suppose, or deny knowing are ignored. The answer claims to know if

- what is left states the fact (its patterns match), or names the person asked about, or
- it says *heard of it*, *met her* and the like, or that one was invited, or
- its first clause that is no question affirms (*Yes*, *I have heard of it*), and no clause denies.

A denial is of the thing itself: *I don't know who runs*; not of its details: *I don't know when it
begins*. What is claimed may still be wrong: `study.evaluate.measures.findings` looks for evidence.
The phrases are those of `phrases.toml`, which are English.
"""

import re
from collections.abc import Iterable

from genagents_env.scenario.patterns import finds_any
from genagents_env.scenario.schema import Fact
from genagents_env.study.evaluate.phrases import load_phrases, straighten
from genagents_env.text import clean

ANSWER_LIMIT = 4000  # characters of an answer that are read

_CUT = re.compile(
    r"(?<=[.!?;…])\s+|\s+[-\u2013\u2014]+\s+|\u2014|,?\s+(?=(?:but|however|though|although|yet)\b)",
    re.IGNORECASE,
)
_FILLERS = re.compile(
    r"^(?:(?:well|oh|ah|aha|um+|uh|hm+|honestly|actually|sorry|look|so|and|but|however|though|"
    r"although|yet|let me think|to be honest|i must say|as a matter of fact)\b[\s,.!:…-]*)+",
    re.IGNORECASE,
)


def claims_fact(answer: str, fact: Fact) -> bool:
    """Return whether an answer to a question for `fact` claims to know it."""
    clauses = _split_clauses(answer)
    told = ". ".join(_keep_statements(clauses))
    return finds_any(fact.patterns, told) or _claims_at_all(clauses)


def claims_person(answer: str, name: str) -> bool:
    """Return whether an answer to a question about the person `name` claims to know of them.

    Naming them, in full or by the first name, outside of denials and suppositions is such a claim.
    """
    clauses = _split_clauses(answer)
    return names_person(
        ". ".join(_keep_statements(clauses)), (name, name.split()[0])
    ) or _claims_at_all(clauses)


def names_person(text: str, forms: Iterable[str]) -> bool:
    """Return whether one of these names stands in `text` as a whole word, in any case."""
    found = "|".join(re.escape(form) for form in forms)
    return re.search(rf"\b(?:{found})\b", text, re.IGNORECASE) is not None


def _split_clauses(answer: str) -> list[str]:
    text = straighten(clean(answer, ANSWER_LIMIT)).strip("\"\u201c\u201d'* ")
    parts = (_FILLERS.sub("", part.strip()) for part in _CUT.split(text))
    return [part for part in parts if part.strip(" .!,;…")]


def _keep_statements(clauses: list[str]) -> list[str]:
    """Return the clauses that state something."""
    return [c for c in clauses if not (_asks(c) or _is(c, "supposes") or _is(c, "denies"))]


def _claims_at_all(clauses: list[str]) -> bool:
    standing = _keep_statements(clauses)
    if any(_is(clause, "heard_of") for clause in standing):
        return True
    said = [clause for clause in clauses if not _asks(clause)]
    affirms = bool(said) and said[0] in standing and _is(said[0], "affirms")
    return affirms and not any(_is(clause, "denies") for clause in said)


def _asks(clause: str) -> bool:
    return clause.rstrip("\"'\u201d) ").endswith("?")


def _is(clause: str, kind: str) -> bool:
    return load_phrases()[kind].search(clause) is not None
