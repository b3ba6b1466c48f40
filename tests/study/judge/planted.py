"""Answers whose quality is known, and judges without a network who see it."""

import json
import re
from collections.abc import Callable, Sequence

from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.scripted import ScriptedEndpoint
from genagents_env.run import RunOptions
from genagents_env.study.judge import JudgedText, Judgement, Verdicts
from tests.run.towns import IMPATIENT

CONDITIONS = ("full", "no plans", "none")
WORDS = {"full": "very good", "no plans": "rather good", "none": "bad"}
QUALITY = {"very good": 7, "rather good": 4, "bad": 1}
AGENTS = ("Ada Brook", "Ben Carver")

Rule = Callable[[CompletionRequest], str]


def again(verdicts: Verdicts) -> list[Judgement]:
    """Return what is in the file of these verdicts."""
    return list(Verdicts(verdicts.path))


def answer(condition: str = "full", **changes: object) -> JudgedText:
    """Return an answer of a condition, its words the condition's."""
    given: dict[str, object] = {
        "run": f"{condition}-s0",
        "condition": condition,
        "seed": 0,
        "agent": AGENTS[0],
        "when": "after",
        "question": "Is there tea?",
        "repeat": 0,
        "text": f"Some {WORDS.get(condition, 'new')} answer.",
        "question_id": "tea",
        "person": "Ada Brook, 40: Ada keeps the cottage",
        "day": "Monday\n08:00:10  Ada Brook: making tea",
    }
    return JudgedText(**{**given, **changes})  # type: ignore[arg-type]  # tests give what is meant


def answers(seeds: int = 3, conditions: Sequence[str] = CONDITIONS) -> list[JudgedText]:
    """Return the answers of two agents in every condition and seed, no two alike."""
    return [
        answer(
            condition,
            run=f"{condition}-s{seed}",
            seed=seed,
            agent=agent,
            text=f"Some {WORDS.get(condition, 'new')} answer {seed}.",
        )
        for seed in range(seeds)
        for condition in conditions
        for agent in AGENTS
    ]


def options(
    rule: Rule, name: str = "judge", **changes: object
) -> tuple[RunOptions, ScriptedEndpoint]:
    """Return run options whose model answers by `rule`, and that model."""
    endpoint = ScriptedEndpoint(rule, name)
    return RunOptions(endpoint=endpoint, retry=IMPATIENT, **changes), endpoint  # type: ignore[arg-type]  # as above


def words(request: CompletionRequest) -> str:
    """Return what the model is asked."""
    return request.messages[-1].content


def honest(request: CompletionRequest) -> str:
    """Rate by the quality that the answer's words name; of two choose the better."""
    text = words(request)
    if "better" in json.dumps(request.schema):
        a, b = (_quality(text, f"answer {name}") for name in "ab")
        better = "tie" if a == b else "a" if a > b else "b"
        return json.dumps({"why": "it is better", "better": better})
    return json.dumps({"why": "so it reads", "rating": _quality(text, "Ada|Ben")})


def first_shown(request: CompletionRequest) -> str:
    """Choose whatever stands first."""
    return json.dumps({"why": "first", "better": "a"})


def _quality(text: str, head: str) -> int:
    found = re.search(rf'\["(?:{head})[^"]*", "Some (.*?) answer', text)
    return QUALITY.get(found[1], 4) if found else 4
