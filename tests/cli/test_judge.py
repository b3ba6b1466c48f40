import json
from pathlib import Path

import pytest

from genagents_env.record import RunReader, canonical_hash
from genagents_env.testing.fault_server import FaultServer, ServerFault, failing, redirect
from tests.campaigns.limits import find_printed
from tests.cli.conftest import Run
from tests.run.asked import write_run
from tests.run.towns import WITNESS

ASKING = """
interview_repeats = 2

[[questions]]
id = "tea"
text = "Is there tea?"
when = "both"

[[checks]]
kind = "answer"
id = "knows"
question = "tea"
ask = "Does it say so?"
"""


@pytest.fixture
def scenario(genagents: Run) -> str:
    """Return a folder: the tiny town, with a question and a check."""
    folder = Path("asking")
    folder.mkdir()
    text = f'extends = "tiny"\nname = "asking"\ntitle = "A question"\n{ASKING}'
    (folder / "scenario.toml").write_text(text)
    return str(folder)


def test_a_run_is_judged_and_verdicts_are_counted(genagents: Run) -> None:
    write_run(Path("run.sqlite"))
    before = canonical_hash("run.sqlite")
    code, out, err = genagents("judge", "run.sqlite", "--model", "scripted:neighbour", "-q")
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "Judge scripted:neighbour: 33 of 33 verdicts, 33 of them new"
    assert "    thief: Ben Carver 4, nobody 4, Cid Dale 4" in out
    code, out, _ = genagents("judge", "run.sqlite", "--model", "scripted:neighbour", "--json")
    told = json.loads(out)
    assert (told["cases"], told["before"], told["given"]) == (33, 33, 0)
    assert told["verdicts"]["sure"] == {"no": 12}
    limited = ("--model", "scripted:obedient", "--by", "another", "--limit", "calls=5", "-q")
    code, out, err = genagents("judge", "run.sqlite", *limited)
    assert (code, out.splitlines()[0]) == (3, "Judge another: 5 of 33 verdicts, 5 of them new")
    assert "genagents judge run.sqlite --model scripted:obedient --by another" in err
    assert canonical_hash("run.sqlite") == before


def test_run_files_that_were_not_begun_are_counted(genagents: Run) -> None:
    for name in ("a.sqlite", "b.sqlite"):
        write_run(Path(name))
    Path("bad.sqlite").write_text("no run")
    model = ("--model", "scripted:neighbour", "--json")
    code, out, err = genagents("judge", "a.sqlite", "bad.sqlite", "b.sqlite", *model)
    assert (code, [one["given"] for one in json.loads(out)["runs"]]) == (2, [33])
    assert "1 of 3 run files were not begun, from b.sqlite on" in err
    code, out, err = genagents("judge", "b.sqlite", "a.sqlite", *model, "--limit", "calls=1")
    assert (code, [one["given"] for one in json.loads(out)["runs"]]) == (3, [1])
    assert "1 of 2 run files were not begun, from a.sqlite on" in err


def test_a_limit_is_of_all_run_files_together(genagents: Run) -> None:
    for name in ("a.sqlite", "b.sqlite", "c.sqlite"):
        write_run(Path(name))
    files = ("a.sqlite", "b.sqlite", "c.sqlite")
    model = ("--model", "scripted:neighbour", "--json", "--limit", "calls=40")
    code, out, err = genagents("judge", *files, *model)
    assert (code, [one["given"] for one in json.loads(out)["runs"]]) == (3, [33, 7])
    assert "1 of 3 run files were not begun, from c.sqlite on" in err


def test_nothing_to_judge_is_said(genagents: Run) -> None:
    genagents("run", "tiny", "--policy", "idle", "--hours", "0.01", "-q")
    for asked in ((), ("--rubric", "believability", "--model", "scripted:neighbour")):
        code, out, _ = genagents("judge", "run.sqlite", *asked)
        assert (code, out.startswith("Nothing to judge: ")) == (0, True)
    code, _, err = genagents("judge", "no.sqlite")
    assert (code, "no run file" in err) == (2, True)


def test_a_run_with_a_model_is_judged_at_its_end(genagents: Run, scenario: str) -> None:
    command = ("run", scenario, "--policy", WITNESS, "--hours", "0.01", "-q", "--force")
    model = ("--model", "scripted:neighbour")
    code, _, err = genagents(*command, *model)
    assert (code, err) == (0, "")
    with RunReader("run.sqlite") as record:
        calls = record.sum_calls().calls
        assert {row.judge for row in record.judgements()} == {"scripted:neighbour"}
        assert len(record.judgements()) == 8
    code, out, err = genagents(*command, *model, "--limit", f"calls={calls + 3}")
    assert (code, "finished" in out) == (3, True)
    assert "the run is finished, but not all of its answers are judged" in err
    assert "genagents judge run.sqlite" in err
    code, out, err = genagents("judge", "run.sqlite", "-q")
    assert (code, "3 of 8 verdicts, 0 of them new" in out) == (3, True)
    assert f"limit {calls + 3}; --limit calls=N raises it" in err
    code, out, _ = genagents("judge", "run.sqlite", "-q", "--limit", "none")
    assert (code, "8 of 8 verdicts, 5 of them new" in out) == (0, True)


def test_a_resumed_run_is_judged_when_it_ends(genagents: Run, scenario: str) -> None:
    command = ("run", scenario, "--policy", WITNESS, "--hours", "0.01", "-q")
    model = ("--model", "scripted:neighbour")
    assert genagents(*command, *model, "--limit", "calls=5")[0] == 3
    with RunReader("run.sqlite") as record:
        assert record.judgements() == []
    resume = ("resume", "run.sqlite", "-q", "--trust", "unchanged")
    assert genagents(*resume)[0] == 3
    assert genagents(*resume, "--limit", "none")[0] == 0
    with RunReader("run.sqlite") as record:
        assert len(record.judgements()) == 8


def test_repeats_of_the_command_line_go_before_those_of_the_scenario(
    genagents: Run, scenario: str
) -> None:
    for repeats, held in ((), 8), (("--interviews", "3"), 12), (("--interviews", "0"), 0):
        command = ("run", scenario, "--hours", "0.01", "--force", "-q", *repeats)
        assert genagents(*command)[0] == 0
        with RunReader("run.sqlite") as record:
            assert len(record.interviews()) == held
    code, _, err = genagents("run", scenario, "--interviews", "21", "--force", "-q")
    assert (code, "--interviews" in err) == (2, True)


def test_interviews_are_repeated(genagents: Run, scenario: str) -> None:
    genagents("run", scenario, "--hours", "0.01", "-q")
    put = ("interview", "run.sqlite", "--question", "Any news?", "--question", "Tea?", "-q")
    code, out, _ = genagents(*put, "--repeats", "2")
    assert code == 0
    lines = [line for line in out.splitlines() if not line.startswith(("    A:", "        "))]
    each = ["  Interview 1 of 2", "    Q: Any news?", "    Q: Tea?"]
    each += ["  Interview 2 of 2", *each[1:]]
    assert lines[1:7] == each
    told = json.loads(genagents(*put, "--repeats", "2", "--json")[1])
    (ada, _) = told["agents"].values()
    assert [(one["question"], one["repeat"]) for one in ada] == [
        ("Any news?", 0),
        ("Tea?", 0),
        ("Any news?", 1),
        ("Tea?", 1),
    ]


@pytest.mark.parametrize("fault", [failing(401), failing(403), redirect("http://127.0.0.1:9/v1")])
@pytest.mark.parametrize("verdicts", [0, 3])
def test_a_key_that_is_refused_while_answers_are_judged_is_an_outage(
    fault: ServerFault,
    verdicts: int,
    genagents: Run,
    scenario: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "local")
    command = ("run", scenario, "--policy", WITNESS, "--hours", "0.01", "-q", "--model", "m")
    with FaultServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        assert genagents(*command, "--out", "judged.sqlite")[0] == 0
        first = server.calls - 8 + verdicts + 1
    with FaultServer({n: fault for n in range(first, first + 9)}) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        code, out, err = genagents(*command, "--endpoint", "concurrency=1")
        assert (code, "finished" in out) == (75, True)
        assert "the run is finished, but not all of its answers are judged" in err
        assert genagents(*find_printed(err), "-q")[0] == 75
    with FaultServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        code, out, _ = genagents(*find_printed(err), "-q")
        assert (code, f"8 of 8 verdicts, {8 - verdicts} of them new" in out) == (0, True)
    with FaultServer(always=fault) as server:  # a judge that never answered: a mistake
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        assert genagents("judge", "run.sqlite", "--model", "other", "-q")[0] == 2
