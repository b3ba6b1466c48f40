import json
from pathlib import Path

import pytest

from genagents_env.record import RunReader, canonical_hash
from genagents_env.testing.fault_server import ServerFault, failing, redirect
from tests.campaigns.limits import find_printed
from tests.cli.conftest import Run, Serve
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
    genagents("run", "tiny", "--policy", "idle", "--hours", "0.01", "-q", "--force")
    for asked in ((), ("--rubric", "believability", "--model", "scripted:neighbour")):
        code, out, _ = genagents("judge", "run.sqlite", *asked)
        assert (code, out.startswith("Nothing to judge: ")) == (0, True)


def test_a_limit_is_of_all_run_files_and_those_that_were_not_begun_are_counted(
    genagents: Run,
) -> None:
    for name in "abcd":
        write_run(Path(f"{name}.sqlite"))
    Path("bad.sqlite").write_text("no run")
    model = ("--model", "scripted:neighbour", "--json")
    for files, limit, ended, given, left in (
        (("a", "bad", "b"), "none", 2, [33], "1 of 3 run files were not begun, from b.sqlite on"),
        (("b", "c"), "calls=40", 3, [33, 7], ""),
        (("d", "c"), "calls=1", 3, [1], "1 of 2 run files were not begun, from c.sqlite on"),
    ):
        names = [f"{name}.sqlite" for name in files]
        limited = () if limit == "none" else ("--limit", limit)
        code, out, err = genagents("judge", *names, *model, *limited)
        assert (code, [one["given"] for one in json.loads(out)["runs"]]) == (ended, given)
        assert left in err


def test_a_run_with_a_model_is_judged_at_its_end_also_once_it_was_resumed(
    genagents: Run, scenario: str
) -> None:
    command = ("run", scenario, "--policy", WITNESS, "--hours", "0.01", "-q", "--force")
    model = ("--model", "scripted:neighbour")
    assert genagents(*command, *model)[::2] == (0, "")
    with RunReader("run.sqlite") as record:
        calls, rows = record.sum_calls().calls, record.judgements()
    assert (len(rows), {row.judge for row in rows}) == (8, {"scripted:neighbour"})
    code, out, err = genagents(*command, *model, "--limit", f"calls={calls + 3}")
    assert (code, "finished" in out) == (3, True)
    assert "the run is finished, but not all of its answers are judged" in err
    assert "genagents judge run.sqlite" in err
    code, out, err = genagents("judge", "run.sqlite", "-q")
    assert (code, "3 of 8 verdicts, 0 of them new" in out) == (3, True)
    assert f"limit {calls + 3}; --limit calls=N raises it" in err
    code, out, _ = genagents("judge", "run.sqlite", "-q", "--limit", "none")
    assert (code, "8 of 8 verdicts, 5 of them new" in out) == (0, True)
    assert genagents(*command, *model, "--limit", "calls=5")[0] == 3
    resume = ("resume", "run.sqlite", "-q", "--trust", "unchanged")
    for more, code, verdicts in (((), 3, 0), (("--limit", "none"), 0, 8)):
        assert genagents(*resume, *more)[0] == code
        with RunReader("run.sqlite") as record:
            assert len(record.judgements()) == verdicts


def test_interviews_are_repeated_as_the_command_or_the_scenario_says(
    genagents: Run, scenario: str
) -> None:
    for repeats, held in ((("--interviews", "3"), 12), (("--interviews", "0"), 0), ((), 8)):
        assert genagents("run", scenario, "--hours", "0.01", "--force", "-q", *repeats)[0] == 0
        with RunReader("run.sqlite") as record:
            assert len(record.interviews()) == held
    put = ("interview", "run.sqlite", "--question", "Any news?", "--question", "Tea?", "-q")
    code, out, _ = genagents(*put, "--repeats", "2")
    lines = [line for line in out.splitlines() if not line.startswith(("    A:", "        "))]
    each = ["    Q: Any news?", "    Q: Tea?"]
    assert (code, lines[1:7]) == (0, ["  Interview 1 of 2", *each, "  Interview 2 of 2", *each])
    told = json.loads(genagents(*put, "--repeats", "2", "--json")[1])
    (ada, _) = told["agents"].values()
    asked = [(question, repeat) for repeat in (0, 1) for question in ("Any news?", "Tea?")]
    assert [(one["question"], one["repeat"]) for one in ada] == asked


@pytest.mark.parametrize(
    ("fault", "verdicts"),
    [(failing(401), 0), (failing(403), 3), (redirect("http://127.0.0.1:9/v1"), 3)],
)
def test_a_key_that_is_refused_while_answers_are_judged_is_an_outage(
    fault: ServerFault, verdicts: int, genagents: Run, scenario: str, serve: Serve
) -> None:
    command = ("run", scenario, "--policy", WITNESS, "--hours", "0.01", "-q", "--model", "m")
    server = serve()
    assert genagents(*command, "--out", "judged.sqlite")[0] == 0
    first = server.calls - 8 + verdicts + 1
    serve({n: fault for n in range(first, first + 9)})
    code, out, err = genagents(*command, "--endpoint", "concurrency=1")
    assert (code, "finished" in out) == (75, True)
    assert "the run is finished, but not all of its answers are judged" in err
    assert genagents(*find_printed(err), "-q")[0] == 75
    serve()
    code, out, _ = genagents(*find_printed(err), "-q")
    assert (code, f"8 of 8 verdicts, {8 - verdicts} of them new" in out) == (0, True)
    serve(always=fault)  # a judge that never answered: a mistake
    assert genagents("judge", "run.sqlite", "--model", "other", "-q")[0] == 2
