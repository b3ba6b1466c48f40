r"""Reading an interview answer by rule: does it claim to know what was asked?

The answer is cut into clauses at the ends of sentences and before words such as *but*. Clauses that
ask back, suppose, or deny knowing are ignored. The answer claims to know if

- what is left states the fact (its patterns match), or names the person asked about, or
- it says *heard of it*, *met her* and the like, or that one was invited, or
- its first clause that is no question affirms (*Yes*, *I have heard of it*), and no clause denies.

A denial is of the thing itself: *I don't know who runs*; not of its details: *I don't know when it
begins*. What is claimed may still be wrong: `study.evaluate.measures.knowledge` looks for evidence.
The rule reads English.
"""

import re
from collections.abc import Iterable

from genagents_env.scenario.patterns import finds_any
from genagents_env.scenario.schema import Fact
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

_OBJECT = r"(?: (?:of|about|who|him|her|it|them|so|from)\b|(?=\s*[,.!;:]|$))"
_AFFIRMS = re.compile(
    r"(?:yes|yeah|yep|yup|aye|indeed|sure|certainly|absolutely|definitely|naturally|of course|"
    r"right|correct)\b"
    r"|i (?:do|did|have|am)(?=\s*[,.!;:]|$)"
    r"|i (?:do |did |certainly |already )*(?:know|knew|heard|remember|recall|met)" + _OBJECT + r"|"
    r"i(?:'ve| have) (?:already |also |just )?(?:heard|met|known|seen|been told)" + _OBJECT + r"|"
    r"i (?:think|believe) so\b",
    re.IGNORECASE,
)
_HAD_WORD = re.compile(
    r"\b(?:heard (?:of|about)|seen|met|know of|know about|(?:talked|spoke|spoken) (?:to|with)) "
    r"(?:him|her|them|it|this|that one)\b"
    r"|\binvited (?:me|us)\b|\b(?:was|am|were|been|got) invited\b"
    r"|\btold (?:me|us) (?:about|of) (?:it|this|that|him|her|them)\b",
    re.IGNORECASE,
)

_SUPPOSES = re.compile(
    r"^(?:if|maybe|perhaps|possibly|i wonder|i guess|i suppose|i imagine|i assume|my guess|"
    r"suppose|imagine|i could imagine)\b"
    r"|\b(?:would|could|might) be (?:a |an |the |so |very |really |quite |such )*"
    r"(?:fun|nice|lovely|great|good|fine|wonderful|welcome|interesting|best|right)\b"
    r"|\bsounds (?:like )?(?:a |so |very )*(?:fun|nice|lovely|great|good|wonderful|interesting)\b"
    r"|\b(?:like|love|hope|hoping|want|wish|curious|eager|glad|happy|interested)\w* to (?:\w+ )?"
    r"(?:meet|know|hear|learn|find out)\b",
    re.IGNORECASE,
)

_NOT = r"\b(?:not(?! only\b)|never|cannot|hardly|\w+n't)\b"
_DETAILS = (
    r"(?! (?:when|where|why|how|what(?! you)|exactly|precisely|the details|the exact|much|many|"
    r"all|everything|if i|whether i|if we|whether we)\b)(?![^,;]*\bwell\b)"
)
_DENIES = re.compile(
    r"^(?:no|nope|nah|never|none|nobody|nothing|not)\b(?! (?:only|doubt|wonder|just|bad)\b)"
    rf"|{_NOT}(?: \w+){{0,3}}? (?:know|known|knew|hear|heard|aware|familiar|informed|recall|"
    rf"remember|recogni[sz]e|sure|certain)\b{_DETAILS}"
    rf"|{_NOT}(?: \w+){{0,2}}? (?:been told|told me|told us|come across|met|ring a bell)\b"
    rf"|{_NOT}(?: \w+)? (?:think|believe)\b(?! i(?:'ll|'d|'m| will| would| can| am)\b)"
    r"|\b(?:can|could)(?:not| not|n't)(?: \w+)? (?:say|tell)\b"
    r"|\b(?:was|were)(?: not|n't) told\b"
    r"|\bno (?:idea|clue|knowledge|memory|memories|recollection|information|notion|one called)\b"
    r"|\b(?:unaware|unfamiliar|unknown to me|news to me|new to me|a stranger|means? nothing)\b"
    r"|\bfirst (?:time )?(?:that )?(?:i|i've|i have) (?:ever )?hear"
    r"|\b(?:nobody|no one|none)\b(?: \w+){0,3} (?:told|mentioned|said|running|runs|run|invited)\b"
    r"|\bthere(?:'s| is| are| was| will be) (?:no|not)\b|\bthere (?:is|are|was|were|wo)n't\b"
    r"|\b(?:is|are|was|were|am|'m|'s|will|wo|does|do)(?: not|n't) (?:really |going to )*(?:be|"
    r"running|run|standing|stand|giving|give|holding|having|happening|happen|some|a person|any)"
    r"|\bthank(?:s| you) for (?:telling|letting|mentioning|sharing|the|asking|informing)\b"
    r"|\bnow (?:that )?(?:i know|you (?:say|mention|tell|ask))|\bgood to know\b"
    r"|\b(?:until|till) (?:now|you)\b|\bfrom you(?:r question)?\b",
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
    text = clean(answer, ANSWER_LIMIT).replace("\u2019", "'").strip("\"\u201c\u201d'* ")
    parts = (_FILLERS.sub("", part.strip()) for part in _CUT.split(text))
    return [part for part in parts if part.strip(" .!,;…")]


def _keep_statements(clauses: list[str]) -> list[str]:
    """Return the clauses that state something."""
    return [c for c in clauses if not (_asks(c) or _SUPPOSES.search(c) or _DENIES.search(c))]


def _claims_at_all(clauses: list[str]) -> bool:
    standing = _keep_statements(clauses)
    if any(_HAD_WORD.search(clause) for clause in standing):
        return True
    first = next((clause for clause in clauses if not _asks(clause)), "")
    if first not in standing or not _AFFIRMS.match(first):
        return False
    return not any(_DENIES.search(clause) for clause in clauses if not _asks(clause))


def _asks(clause: str) -> bool:
    return clause.rstrip("\"'\u201d) ").endswith("?")
