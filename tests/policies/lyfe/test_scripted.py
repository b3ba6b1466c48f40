"""What scripted models reply to a Lyfe mind: every prompt here is one that it has written."""

import asyncio
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genagents_env.cognition.query import PreparedQuery
from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.schemas import make_schema, schema_name
from genagents_env.llm.scripted import Rule, news
from genagents_env.llm.scripted.wording import split_sentences
from genagents_env.policies import lyfe
from genagents_env.policies.lyfe import interview
from genagents_env.policies.lyfe.mind import LyfeMind, WorkItem
from genagents_env.text import clean
from tests.policies.lyfe.minds import endpoint_of, make_mind, moment
from tests.policies.percepts import START, Moment, profile, wait_for
from tests.scripted import gossip, inventor, mute

PARTY = "Bea Birch gives a party at Hobbs Cafe on February 14th from 5 pm to 7 pm."
SHORT = "Party at Hobbs Cafe, February 14, 5 pm to 7 pm"
MAYOR = "Cy Cole is running for mayor in the coming local election."
SAW = "Out for a walk at night, I saw Dee Dunn leave the hotel with a bloody knife in her hand."
THEY_SAW = SAW.replace("I saw", "Bea Birch saw")
RUSH = "Dee Dunn left the hotel in a great rush; Bea Birch saw it."
CONFESSION = "I murdered Al Aston with a knife, and I left the house in a rush."
KEPT = "Al left the hotel in a rush when Bea Birch saw us; we keep it a secret."
SUSPECT = "If you had to guess, who do you think is the biggest suspect? And provide the reason."
NOON = Moment(tick=1440, time=START.replace(hour=12))
PEOPLE = {"Bea Birch": "a friend", "Cy Cole": "a customer", "Dee Dunn": "a neighbour"}


def mind_of(rule: Rule, *memories: str, near: tuple[str, ...] = ("Bea Birch",), **who: Any) -> Any:
    """Return a mind with room in its prompts, that knows `memories` (events 0, 1, ...)."""
    person = profile(**({"facts": (), "relationships": PEOPLE, "goal": "Live well."} | who))
    mind = make_mind(rule, who=person, prompt_tokens=4000, long_recall=20)
    mind.near = list(near)
    for number, text in enumerate(memories):
        mind.long.seed(text, (number,))
    return mind


def hear(mind: LyfeMind, *words: tuple[str, str]) -> Any:
    """Let words enter work memory: who said them, and what; the mind is returned."""
    item = WorkItem
    mind.work += [item(text, 5, speaker, 50 + k) for k, (speaker, text) in enumerate(words)]
    return mind


def answer(mind: LyfeMind, purpose: str, data: dict[str, Any] | None = None) -> Any:
    """Return what the mind's model replies to one of its questions, as a valid reply."""
    handler = lyfe.HANDLERS[purpose]
    ask = wait_for(handler.prepare(mind, data or {}, moment(mind, NOON)))
    assert isinstance(ask, PreparedQuery)
    reply = handler.reply_model(ask.data)
    request = CompletionRequest(tuple(ask.messages), make_schema(reply), schema_name(reply), seed=7)
    return reply.model_validate_json(endpoint_of(mind).rule(request))


def speak(mind: LyfeMind) -> str:
    """Return what one says next, without for whom it is."""
    words: str = answer(mind, "talk.speak").say
    return words.partition(": ")[2] if words.startswith("Listen, ") else words


def interview_mind(mind: LyfeMind, *questions: str) -> list[Any]:
    answers: list[Any] = asyncio.run(interview.answer_questions(mind, list(questions)))
    return answers


def merge_memories(mind: LyfeMind, *texts: str) -> str:
    count = len(texts)
    data = {"ids": list(range(count)), "texts": list(texts), "at": [0] * count}
    data |= {"events": [[]] * count, "origins": ["summary"] * count}
    memory: str = answer(mind, "memory.merge", data).memory
    return memory


# What is passed on.


@pytest.mark.parametrize(
    "text", [SAW, THEY_SAW, RUSH, "Dee Dunn was seen with a knife in her hand."]
)
def test_a_testimony_is_news_and_names_its_suspect(text: str) -> None:
    assert news.is_testimony(text)
    assert news.find_suspect(text) == "Dee Dunn"
    assert speak(mind_of(gossip, text))


@pytest.mark.parametrize(
    "text", [CONFESSION, KEPT, "A knife lay in the kitchen.", "I saw the sea."]
)
def test_secrets_are_no_news_nor_is_any_knife(text: str) -> None:
    mind = mind_of(gossip, text)
    assert speak(mind) == "Good afternoon, Bea!"
    assert interview_mind(mind, SUSPECT)[0].text == "I do not know."
    assert text not in answer(hear(mind, ("Bea Birch", "Hello")), "monitor.update").summary


def test_the_gossip_says_one_piece_of_news_after_the_other_then_is_silent() -> None:
    mind = mind_of(gossip, PARTY, SAW)
    first = speak(mind)
    second = speak(hear(mind, ("Ann Ash", first)))
    assert {first, second} == {SHORT, SAW}
    assert speak(hear(mind, ("Ann Ash", second))) == ""


def test_what_was_told_to_some_is_told_to_others() -> None:
    mind = mind_of(gossip, SAW, near=("Bea Birch", "Al Aston"))
    words = answer(mind, "talk.speak").say
    assert words == f"Listen, Bea, Al: {SAW}"
    hear(mind, ("Ann Ash", words))
    assert speak(mind) == ""
    mind.near = ["Al Aston"]
    assert speak(mind) == ""
    mind.near = ["Cy Cole", "Bea Birch"]
    again = answer(mind, "talk.speak").say
    assert again == f"Listen, Cy, Bea: {SAW}"
    assert speak(hear(mind, ("Ann Ash", again))) == ""


def test_what_one_was_told_is_passed_on_to_who_was_not() -> None:
    mind = hear(mind_of(gossip, near=("Cy Cole",)), ("Bea Birch", f"Listen, Ann: {SAW}"))
    assert speak(mind) == THEY_SAW
    mind.near = ["Bea Birch"]
    assert speak(mind) == ""
    mind.near, mind.work[0].text = ["Cy Cole"], f"Listen, Ann, Cy: {SAW}"
    assert speak(mind) == ""


def test_what_others_saw_is_told_as_theirs() -> None:
    mind = hear(mind_of(gossip, near=("Cy Cole",)), ("Bea Birch", f"Listen, Ann: {SAW}"))
    summary = answer(mind, "monitor.update").summary
    assert summary == f"{THEY_SAW} I talked with Bea Birch."
    mind.work.clear()
    mind.summary.text = summary
    assert speak(mind) == THEY_SAW
    remembers = mind_of(gossip, f'Bea Birch said: "Listen, Ann: {SAW}"', near=("Cy Cole",))
    assert speak(remembers) == THEY_SAW


def test_nobody_repeats_accusations_against_themselves() -> None:
    mind = mind_of(gossip, THEY_SAW, name="Dee Dunn", agent="Dee Dunn")
    assert speak(mind) == "Good afternoon, Bea!"
    assert interview_mind(mind, SUSPECT)[0].text == "I do not know."
    assert "knife" not in answer(hear(mind, ("Bea Birch", SAW)), "monitor.update").summary


def test_a_greeting_stands_at_the_beginning_only() -> None:
    assert speak(mind_of(gossip)) == "Good afternoon, Bea!"
    assert speak(hear(mind_of(gossip), ("Bea Birch", "Good morning!"))) == ""


@pytest.mark.parametrize("rule", [mute, inventor])
def test_the_others_never_say_a_word(rule: Rule) -> None:
    mind = hear(mind_of(rule, PARTY, SAW), ("Bea Birch", "What is new?"))
    assert speak(mind) == ""
    choice = answer(mind, "controller.choose")
    assert choice.option in ("go", "wait")


# What to do.


def test_the_gossip_greets_those_near_and_tells_them_news() -> None:
    strangers = mind_of(gossip, near=("Cy Cole", "Bea Birch"))
    choice = answer(strangers, "controller.choose")
    assert (choice.option, choice.target) == ("talk", "Cy Cole")
    hear(strangers, ("Bea Birch", "Hello"))  # greeted, and nothing to tell
    assert answer(strangers, "controller.choose").option in ("go", "wait")
    knows = hear(mind_of(gossip, near=("Cy Cole", "Bea Birch")), ("Bea Birch", f"Ann: {SAW}"))
    choice = answer(knows, "controller.choose")
    assert (choice.option, choice.target) == ("talk", "Cy Cole")


def test_the_gossip_looks_with_news_for_those_it_has_not_talked_to() -> None:
    mind = hear(mind_of(gossip, near=()), ("Bea Birch", "Hello"))
    mind.summary.text = "I talked with Cy Cole."
    assert answer(mind, "controller.choose").option == "go"  # nothing to tell anybody
    mind.summary.text = f"{PARTY} I talked with Cy Cole."
    choice = answer(mind, "controller.choose")
    assert (choice.option, choice.target) == ("find", "Dee Dunn")
    mind.missed["Dee Dunn"] = 0
    assert answer(mind, "controller.choose").option == "go"
    mind.missed.clear()
    hear(mind, ("Bea Birch", f"Listen, Ann, Dee: {PARTY}"))
    assert answer(mind, "controller.choose").option == "go"  # everybody has heard it


def test_the_gossip_tells_nobody_what_is_said_about_them() -> None:
    mind = hear(mind_of(gossip, near=()), ("Bea Birch", f"Ann: {SAW}"))
    mind.summary.text = "I talked with Cy Cole."
    assert answer(mind, "controller.choose").option == "go"


def test_where_nobody_is_known_one_goes_somewhere() -> None:
    mind = mind_of(gossip, near=(), relationships={})
    choice = answer(mind, "controller.choose")
    assert (choice.option, choice.target in NOON.known) == ("go", True)
    mind.option.only = ["wait"]
    assert answer(mind, "controller.choose").option == "wait"
    mind.option.only = ["reflect"]
    assert answer(mind, "controller.choose").option == "reflect"


# What one keeps in mind.


def test_a_summary_keeps_old_news_and_adds_what_was_heard() -> None:
    mind = hear(mind_of(gossip), ("Cy Cole", f"Good morning! {PARTY}"), ("Bea Birch", MAYOR))
    mind.summary.text = f"{RUSH} Nothing else. I talked with Dee Dunn."
    summary = answer(mind, "monitor.update").summary
    assert split_sentences(summary) == [
        *(RUSH, PARTY, MAYOR),
        "I talked with Dee Dunn, Cy Cole, Bea Birch.",
    ]


def test_a_summary_has_at_most_a_hundred_words() -> None:
    long = [f"Person{n} Cole is running for mayor, {'so they say ' * 6}{n}." for n in range(40)]
    mind = mind_of(gossip, *long)
    summary = answer(mind, "monitor.update").summary
    assert 0 < len(summary.split()) <= 100


def test_without_news_a_summary_is_of_memories_or_the_goal() -> None:
    assert answer(mind_of(gossip, relationships={}), "monitor.update").summary == "Live well."
    remembers = mind_of(gossip, "It rained.", relationships={})
    assert answer(remembers, "monitor.update").summary == "It rained."


def test_memories_are_joined_news_first() -> None:
    memory = merge_memories(mind_of(gossip), "It rained.", f'Bea Birch said: "{SAW}"', THEY_SAW)
    assert memory == f"{THEY_SAW} It rained."


def test_one_thinks_of_the_news() -> None:
    assert answer(mind_of(gossip, MAYOR), "reflect.think").thought == MAYOR
    far = f"Late at night, {'far ' * 8}from home, {SAW}"
    thought = answer(mind_of(gossip, far), "reflect.think").thought
    assert thought == "I saw Dee Dunn leave the hotel with a bloody knife in her hand."
    assert answer(mind_of(gossip), "reflect.think").thought == "I have heard nothing new."


# Interviews.


@pytest.mark.parametrize("rule", [gossip, mute])
def test_who_knows_a_testimony_names_the_suspect_and_the_line(rule: Rule) -> None:
    (given,) = interview_mind(mind_of(rule, "It rained.", f'Bea Birch said: "{SAW}"'), SUSPECT)
    assert given.text.startswith("I think the biggest suspect is Dee Dunn. ")
    assert 1 in given.evidence
    (none,) = interview_mind(mind_of(rule, "It rained.", "Al was stabbed with a knife."), SUSPECT)
    assert (none.text, none.evidence) == ("I do not know.", ())


def test_of_several_suspects_the_one_with_most_witnesses_is_named() -> None:
    other = "Last night I saw Cy Cole run off in a hurry."
    (given,) = interview_mind(mind_of(gossip, other, SAW, RUSH), SUSPECT)
    assert "suspect is Dee Dunn." in given.text
    assert {1, 2} <= set(given.evidence)


def test_other_questions_are_answered_as_ever() -> None:
    party, person, nothing = interview_mind(
        mind_of(gossip, PARTY),
        "Do you know of a Valentine's Day party?",
        "Do you know of Bea Birch?",
        "Who is running for mayor?",
    )
    assert party.text == f"Yes. {PARTY}"
    assert person.text == "Yes, I know of Bea Birch."
    assert 0 in party.evidence
    assert nothing.text == "No, I have not heard of that."


def test_the_inventor_invents() -> None:
    (given,) = interview_mind(mind_of(inventor, SAW), SUSPECT)
    assert given.text.startswith("Yes, of course.")


# Whatever comes.


ANY_TEXT = st.text(max_size=200).map(lambda text: clean(text, 200)).filter(bool)
NEWS = st.sampled_from((PARTY, MAYOR, SAW, RUSH, CONFESSION, f'Bea Birch said: "{SAW}"'))


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from((gossip, mute, inventor)),
    st.lists(ANY_TEXT | NEWS, min_size=1, max_size=6),
    st.booleans(),
)
def test_whatever_was_said_replies_are_valid(rule: Rule, texts: list[str], monitors: bool) -> None:
    mind = make_mind(rule, who=profile(relationships=PEOPLE), self_monitor=monitors)
    mind.near = ["Bea Birch", texts[0][:40]]
    for number, text in enumerate(texts):
        mind.long.seed(text, (number,))
    mind.summary.text = texts[-1]
    hear(mind, *((rf"Person \{number} {{}}", text) for number, text in enumerate(texts)))
    for purpose in ("controller.choose", "talk.speak", "reflect.think", "monitor.update"):
        answer(mind, purpose)
    merge_memories(mind, *texts, *texts)
    interview_mind(mind, *texts)
    assert not any(row.fallbacks + row.reasks for row in mind.services.model.ledger.rows())


@settings(max_examples=60, deadline=None)
@given(st.lists(NEWS, min_size=1, max_size=5), st.sampled_from(("Bea Birch", "Ann Ash", "")))
def test_a_confession_never_leaves_its_owner(texts: list[str], speaker: str) -> None:
    mind = hear(mind_of(gossip, CONFESSION), *((speaker, text) for text in texts))
    assert "murdered" not in speak(mind)
    assert "murdered" not in answer(mind, "monitor.update").summary
