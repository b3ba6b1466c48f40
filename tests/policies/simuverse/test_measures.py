"""How replies were read, as the measures of tools count it."""

import json
from collections import Counter
from pathlib import Path

import pytest

from genagents_env.config import TownConfig
from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.scripted import ScriptedEndpoint
from genagents_env.llm.scripted.prompt import read_prompt
from genagents_env.record import RunReader
from genagents_env.run import PolicySpec, RunOptions, RunSpec, run
from genagents_env.show.summary import describe_run, run_as_json
from genagents_env.study.evaluate.measures import load_measure
from genagents_env.study.evaluate.measures.tools import ToolUse, count_tool_use, list_turns
from genagents_env.study.evaluate.run_data import RunData
from tests.policies.harness import uneven
from tests.policies.percepts import Value
from tests.policies.simuverse.town import ANN, BEN, CAT, Reply, find, follow, quarter


def live(folder: Path, rule: Value, config: dict[str, Value], ticks: int, **how: Value) -> Path:
    path = folder / "run.sqlite"
    homes = {ANN: "hall", BEN: "hall", CAT: "yard"}
    town = TownConfig(quarter(folder, homes), hours=ticks / 360)
    spec = RunSpec(town, 3, policy=PolicySpec("simuverse", config))
    options = RunOptions(endpoint=ScriptedEndpoint(rule, delay=uneven), embedder="hashed", **how)
    assert run(spec, path, options).status == "finished"
    return path


def to_rule(reply: Reply) -> Value:
    """Return the rule of an endpoint: people answer by `reply`, and the interpreter errs at times.

    People are asked for words without a schema, the interpreter with one.
    """

    def rule(request: CompletionRequest) -> str:
        prompt = read_prompt(request)
        assert (request.schema_name == "Triple") is (request.schema is not None)
        if "triple" not in prompt.fields:
            return reply(prompt.name, prompt)
        said = find(prompt, "reply")[0]
        if "misread" in said:
            return json.dumps({"triple": ["Zed", "MOVE", "yard"]})
        if "unread" in said:
            return "I cannot say."
        tool = said.partition(")")[0].strip("( ") if said.startswith("(") else "ERROR"
        return json.dumps({"triple": ["?", tool, said.partition(")")[2]]})

    return rule


def take_measures(path: Path) -> dict[str, float | None]:
    names = ("invalid_replies", "resets", "interpreter_disagreement", "exchanges", "early_leaves")
    with RunReader(path) as record:
        data = RunData(record)
        return {name: load_measure(name).take(data)[name] for name in names}


def test_measures_count_how_replies_were_read(tmp_path: Path) -> None:
    scans = ["(SCAN)"] * 20
    odd = ["(SCAN) misread", "Hm.", "Hm.", "(MOVE) the moon", "(SCAN) unread"]
    rule = to_rule(follow({ANN: odd, BEN: scans, CAT: scans}))
    path = live(tmp_path, rule, {"turn_seconds": 10}, 8, interviews=False)
    with RunReader(path) as record:
        data = RunData(record)
        kinds = Counter(turn["kind"] for turn in list_turns(data))
        assert (kinds["strike"], kinds["fault"], kinds["failure"]) == (2, 1, 1)
        asked = kinds.total() - kinds["fault"]
        assert count_tool_use(data) == ToolUse(asked, 2, 1, 1, asked, 1, 1)
        told = next(line for line in describe_run(data) if line.startswith("Tools: "))
        assert run_as_json(data)["tool_use"]["strikes"] == 2
    assert told.startswith(f"Tools: {asked} choices, 2 without one, 1 in vain, 1 reset; of {asked}")
    assert take_measures(path) == {
        "invalid_replies": pytest.approx(2 / asked),
        "resets": pytest.approx(100 / asked),
        "interpreter_disagreement": pytest.approx(1 / asked),
        "exchanges": None,
        "early_leaves": None,
    }


def test_the_grammar_alone_disagrees_with_nobody(tmp_path: Path) -> None:
    rule = to_rule(follow({ANN: ["(CONVERSE) Ben"]}))
    path = live(tmp_path, rule, {"interpreter": "regex", "exchanges": 3}, 14, interviews=False)
    found = take_measures(path)
    assert (found["interpreter_disagreement"], found["invalid_replies"]) == (None, 0)
    assert found["exchanges"] == 3
    with RunReader(path) as record:
        assert {call.purpose for call in record.calls()} == {"act.choose", "talk.speak"}
