"""Scripted models judge answers by their words, in the prompts that a judge is sent."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genagents_env.llm.cassette import MemoryCassette
from genagents_env.llm.client import ModelClient
from genagents_env.llm.scripted import ScriptedEndpoint
from genagents_env.record import InterviewRow
from genagents_env.scenario.schema import AnswerCheck, Value, ValueCheck
from genagents_env.study.judge.cases import Case, CaseReply, Judgeable, make_case_reply
from tests.scripted import neighbour

CLUB = ValueCheck(
    kind="value",
    id="club",
    question="club",
    ask="Which club does it name?",
    values=(Value(value="anime club"), Value(value="soccer club")),
    otherwise="indecisive",
)
TEA = AnswerCheck(kind="answer", id="tea", question="tea", ask="Does Ravi offer Marta the tea?")


def verdict(check: Judgeable, answer: str) -> str:
    case = Case(check, InterviewRow(9, "Yi Huang", "Which club?", answer, ()), 0)
    endpoint = ScriptedEndpoint(neighbour)
    client = ModelClient(endpoint, run_seed=3, cassette=MemoryCassette())
    reply = make_case_reply(case.verdicts)
    answered = asyncio.run(
        client.ask(case.call, case.messages(3), reply, fallback=CaseReply(verdict="none"))
    )
    assert not answered.fallback
    return answered.value.verdict


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The soccer club, I think, not the anime club.", "soccer club"),
        ("ANIME CLUB!", "anime club"),
        ("Wherever Arjun goes.", "indecisive"),
        ("", "indecisive"),
        ('{"verdict": "soccer club", "why": "so"}', "soccer club"),
    ],
)
def test_the_value_named_first_is_the_verdict(answer: str, expected: str) -> None:
    assert verdict(CLUB, answer) == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Yes, gladly.", "yes"),
        ("No, Ravi would not give Marta any.", "no"),
        ("Ravi wants to give it to Marta.", "yes"),
        ("Nobody told me about Ravi and Marta.", "yes"),
        ("Ravi is a doctor.", "no"),
        ("Yesterday it rained.", "no"),
    ],
)
def test_yes_and_no_are_what_it_begins_with_else_the_names_decide(
    answer: str, expected: str
) -> None:
    assert verdict(TEA, answer) == expected


@given(st.text(max_size=80))
def test_any_answer_gets_a_verdict(answer: str) -> None:
    assert verdict(CLUB, answer) in ("anime club", "soccer club", "indecisive")
    assert verdict(TEA, answer) in ("yes", "no")
