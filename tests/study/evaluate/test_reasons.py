import pytest
from hypothesis import given
from hypothesis import strategies as st

from genagents_env.study.evaluate.reasons import find_reason

CONFLICT = [
    "I had to work at the pub that evening.",
    "I wanted to come, but I had a class to prepare.",
    "I'd have loved to go, but I couldn\u2019t get away from the shop.",
    "My schedule was full.",
    "I was busy with my thesis.",
    "I did not have time.",
    "I was serving guests at the bar.",
    "I had already promised Jane to be at home.",
]
MEANT_WELL = [
    "I wanted to go, and then it was night.",
    "I forgot about it.",
    "It sounded lovely.",
    "I would have liked to be there.",
    "I was interested in the party but did not plan to go.",
    "I never made any plans to go.",
    "I wasn't busy. I simply lost track of the hours.",
    "I'm sorry that I missed it.",
]
SILENT = [
    "",
    "No, I have not heard of that.",
    "I don't remember.",
    "I did not want to go.",
    "I was not interested.",
    "No particular reason.",
]
REASONS = {"conflict": CONFLICT, "meant well": MEANT_WELL, "silent": SILENT}


@pytest.mark.parametrize(
    ("answer", "reason"),
    [(answer, reason) for reason, answers in REASONS.items() for answer in answers],
)
def test_an_answer_gives_one_kind_of_reason(answer: str, reason: str) -> None:
    """Something else to do is a conflict, interest without a plan is meaning well."""
    assert find_reason(answer) == reason


@given(st.text(max_size=200))
def test_any_text_is_one_of_the_three(answer: str) -> None:
    assert find_reason(answer) in REASONS
