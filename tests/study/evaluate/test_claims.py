import pytest
from hypothesis import given
from hypothesis import strategies as st

from genagents_env.scenario import load_scenario
from genagents_env.scenario.schema import Fact
from genagents_env.study.evaluate.claims import claims_fact, claims_person, names_person
from genagents_env.study.evaluate.measures.gatherings import find_reason

FACTS = {fact.id: fact for fact in load_scenario("valentines_party").facts}

CLAIMED = [
    # Stating the fact, with or without a yes.
    ("party", "Isabella is throwing a Valentine\u2019s party tomorrow. I don't know what to wear."),
    ("party", "I'm not sure when it begins, but there is a Valentine's Day party at the cafe."),
    ("party", "No, wait - there is that Valentine's Day party at Hobbs Cafe!"),
    ("candidacy", "I am running for mayor, although I have not told anyone yet."),
    ("candidacy", "Sam Moore told me this morning. He is running for mayor."),
    ("candidacy", "Yes, Sam Moore. I'm not sure if I will vote for him as mayor."),
    ("candidacy", "Not only have I heard it, Sam Moore the candidate drinks his coffee here."),
    ("candidacy", "I haven't decided whom to vote for, but Sam Moore is a candidate."),
    # Affirming without stating it.
    ("party", "Yes."),
    ("party", "Oh, of course! Everybody talks about it."),
    ("party", "I do."),
    ("party", "I've heard of it from Maria."),
    ("party", "Isabella invited me when I paid for my coffee."),
    ("party", "A party? Yes, I was told about that by Ayesha."),
    ("party", "I don't know the details, though I have heard about it."),
    ("party", "Yes, I think so. I don't know where it is, however."),
    ("candidacy", "Yes, Tom Moreno is running for mayor."),
    ("candidacy", "“Certainly,” I know who."),
]

NOT_CLAIMED = [
    ("party", ""),
    ("party", "..."),
    ("party", "No, I have not heard of that."),
    ("party", "I don't know of a Valentine's Day party."),
    ("party", "I do not think there is a party at Hobbs Cafe."),
    ("party", "There isn't a Valentine's Day party as far as I can tell."),
    ("party", "There is no Valentine's Day party at Hobbs Cafe."),
    ("party", "A Valentine's Day party? That is news to me."),
    ("party", "A Valentine's Day party at Hobbs Cafe? That sounds lovely, I'll come!"),
    ("party", "A party at Hobbs Cafe would be lovely."),
    ("party", "If somebody gave a Valentine's party, I would go."),
    ("party", "Thank you for telling me about the Valentine's Day party!"),
    ("party", "I'm not aware of a Valentine\u2019s Day celebration."),
    ("party", "Nobody told me of a Valentine's Day party."),
    ("party", "This is the first time I hear of a Valentine's party."),
    ("party", "I didn't know of a Valentine's Day party until now."),
    ("party", "I don't know what you mean. Is there a party at Hobbs Cafe?"),
    ("candidacy", "Yes, I know there is an election, but I don't know who is running."),
    ("candidacy", "I have no idea, but Sam Moore would be a good mayor."),
    ("candidacy", "I'm not sure who is running for mayor. Sam, perhaps?"),
    ("candidacy", "Sam Moore isn't running for mayor."),
    ("candidacy", "I guess Sam Moore is running for mayor."),
    ("candidacy", "Yes, I would love to know who is running for mayor."),
    ("candidacy", "Nobody is running for mayor yet."),
    ("candidacy", "I can't say who is running for mayor."),
    ("candidacy", "Tom Moreno."),
]


@pytest.mark.parametrize(("fact", "answer"), [*CLAIMED, *NOT_CLAIMED])
def test_an_answer_claims_to_know_unless_it_denies_supposes_or_asks(fact: str, answer: str) -> None:
    assert claims_fact(answer, FACTS[fact]) == ((fact, answer) in CLAIMED)


KNOWN = [
    "Yes.",
    "Maria is a friend of mine.",
    "Of course, she lives next door.",
    "I don't know Maria Lopez well, but she is always friendly.",
    "I do not know Maria Lopez, but I have heard of her.",
    "I've met her.",
    "I don't know much about Maria Lopez.",
    "Not very closely, but yes, I have talked with her.",
    "MARIA LOPEZ and I have breakfast together.",
]
UNKNOWN = [
    "No.",
    "Maria Lopez? I'm afraid that name doesn't ring a bell.",
    "The name Maria Lopez is unfamiliar.",
    "The name Maria Lopez means nothing to me.",
    "Maria Lopez is not someone I have met.",
    "I have no memory of a Maria Lopez.",
    "I would like to meet Maria Lopez one day.",
    "No, I have never met Maria Lopez, but I know Klaus Mueller.",
    "Mariana is my sister.",
]


@pytest.mark.parametrize("answer", [*KNOWN, *UNKNOWN])
def test_naming_or_affirming_claims_to_know_a_person(answer: str) -> None:
    assert claims_person(answer, "Maria Lopez") == (answer in KNOWN)


@given(st.text(max_size=300))
def test_any_text_is_read_and_the_blank_around_it_does_not_matter(answer: str) -> None:
    fact = FACTS["party"]
    assert claims_fact(answer, fact) == claims_fact(f"  {answer} ", fact)
    assert claims_person(answer, "Ada Brook") == claims_person(answer + "\n", "Ada Brook")


def test_a_fact_known_by_its_pattern_only_counts_where_it_is_told() -> None:
    fact = Fact(id="tea", statement="Tea at five.", patterns=("tea at five",))
    assert claims_fact("There is tea at five.", fact)
    assert not claims_fact("Is there tea at five?", fact)


def test_a_name_is_a_whole_word_and_no_pattern() -> None:
    assert not names_person("Anna came.", ("Ann",))
    assert names_person("c++ fan came", ("c++ fan",))


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
