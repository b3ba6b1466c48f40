"""Scripted models judge answers by their words, in the prompts that a judge is sent."""

import asyncio

import pytest

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
    ("check", "answer", "expected"),
    [
        (CLUB, "The soccer club, I think, not the anime club.", "soccer club"),
        (CLUB, "Wherever Arjun goes.", "indecisive"),
        (CLUB, "", "indecisive"),
        (CLUB, '{"verdict": "soccer club", "why": "so"}', "soccer club"),
        (TEA, "No, Ravi would not give Marta any.", "no"),
        (TEA, "Ravi wants to give it to Marta.", "yes"),
        (TEA, "Nobody told me about Ravi and Marta.", "yes"),
        (TEA, "Ravi is a doctor.", "no"),
        (TEA, "Yesterday it rained.", "no"),
    ],
)
def test_the_first_value_or_word_decides_else_the_names_do(
    check: Judgeable, answer: str, expected: str
) -> None:
    assert verdict(check, answer) == expected
