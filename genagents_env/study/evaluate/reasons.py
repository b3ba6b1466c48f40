"""Why somebody invited did not come, read from their answer by rule.

Source of the kinds: Park et al. 2023, section 7.1: of seven who were invited and stayed away,
three had something else to do, and four would have liked to come but planned nothing.
An answer that gives both reasons counts as a conflict. The rule reads English.
"""

import re
from typing import Literal

from genagents_env.study.evaluate.claims import ANSWER_LIMIT
from genagents_env.text import clean

Reason = Literal["conflict", "meant well", "silent"]

_NOT = r"(?:\bnot|n't|\bno|\bnever|\bwithout|\bneither|\bnor)"
_NO_REASON = re.compile(
    rf"{_NOT}(?: (?:really|that|any|an?|the|at|particularly|much|very))*? "
    r"(?:busy|work\w*|appointments?|plans|conflict\w*|commitments?|class\w*|meetings?|other\w*|"
    r"want\w*|interest\w*|tempted|like\w*|keen|hop\w+|mean\w*|intend\w*|curious)\b[^,.;]*",
    re.IGNORECASE,
)
_CONFLICT = re.compile(
    r"\b(?:work|works|worked|working|shifts?|on duty|customers?|serving|served|class|classes|"
    r"lectures?|lessons?|teach|teaching|study|studying|studied|exams?|homework|deadlines?|"
    r"rehears\w+|practi[cs]\w+|appointments?|meetings?|busy|schedules?|conflict\w*|clash\w*|"
    r"commitments?|committed|obligations?|prior engagements?|other plans|already (?:had|have|"
    r"planned|promised|arranged|booked)|too much to do|must(?! have)|"
    r"(?:had|have|needed|need) to(?! say| admit| confess)|"
    r"focus(?:ing|ed|sing)?|prepar(?:e|ed|ing)|cook(?:ed|ing)|finish(?:ed|ing)?|"
    r"taking care of|take care of|took care of|look(?:ing|ed) after)\b"
    r"|\b(?:no|not have|n't have|not enough|not find|n't find) (?:the |any |enough |really )*time\b"
    r"|\b(?:could|can|was)(?:not| not|n't)(?: \w+){0,2} "
    r"(?:make it|come|leave|get away|attend|free)\b",
    re.IGNORECASE,
)
_MEANT_WELL = re.compile(
    r"\b(?:want(?:ed)?|hop(?:ed|ing|e)|mean[ts]?|intend(?:ed)?|plan(?:ned|ning)?|thought of|"
    r"thinking of|going) to (?:go|come|attend|drop by|join|be there|stop by|see)\b"
    r"|(?:\bwould|'d) (?:really |very much |certainly )*(?:like|love|have (?:liked|loved|come|"
    r"gone|enjoyed))"
    r"|\b(?:interested in|interest in|curious|tempted|looking forward|looked forward|forgot|"
    r"forgotten|slipped my mind|lost track|meant well)\b"
    r"|\b(?:thought|thinking|think) (?:about|of) (?:going|coming|it|dropping|attending)"
    r"|\bsound(?:ed|s) (?:like )?(?:\w+ )?(?:nice|lovely|fun|great|good|wonderful|interesting)\b"
    r"|\b(?:sorry|a pity|a shame|regret)\b.{0,30}\bmiss(?:ed|ing)?\b|\bregret (?:not|missing)"
    r"|\bwish(?:ed)? i\b"
    r"|\b(?:not|n't|never) (?:make|made|making|have|had) (?:any |a |firm )*plans? to\b"
    r"|\b(?:did not|didn't|never) (?:plan|arrange)\b",
    re.IGNORECASE,
)


def find_reason(answer: str) -> Reason:
    """Return which kind of reason an answer gives for having stayed away."""
    text = clean(answer, ANSWER_LIMIT).replace("\u2019", "'")
    told = _NO_REASON.sub(" ", text)
    if _CONFLICT.search(told):
        return "conflict"
    return "meant well" if _MEANT_WELL.search(told) else "silent"
