"""The commands of `genagents` and their endings."""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from genagents_env.record import RunWriter, canonical_hash
from tests.cli.conftest import Run
from tests.run.towns import CURIOUS

ADA = "Ada Brook"


@pytest.fixture
def lived(genagents: Run) -> Run:
    """Return the same, with a finished run.sqlite of two minutes."""
    code, _, err = genagents("run", "tiny", "--hours", "0.0334", "--policy", "scripted")
    assert (code, "Traceback" in err) == (0, False)
    return genagents


def test_run_prints_story_summary_and_run_file(genagents: Run) -> None:
    code, out, _ = genagents(
        "run", "tiny", "--start", "08:00", "--hours", "0.1", "--seed", "3", "--policy", "scripted"
    )
    assert code == 0
    assert f"{ADA} is at" in out
    assert "(36 ticks): finished" in out
    assert "Run file: run.sqlite  (look: genagents view run.sqlite)" in out
    assert Path("run.sqlite").is_file()


def test_an_existing_run_is_not_overwritten(lived: Run) -> None:
    before = Path("run.sqlite").read_bytes()
    code, _, err = lived("run", "tiny", "--hours", "0.01")
    assert (code, len(err.splitlines())) == (2, 1)
    assert "genagents resume run.sqlite" in err
    assert Path("run.sqlite").read_bytes() == before
    assert lived("run", "tiny", "--hours", "0.01", "--force", "--quiet")[0] == 0


def test_a_stopped_run_is_resumed(genagents: Run) -> None:
    arguments = ["run", "tiny", "--hours", "0.1", "--policy", CURIOUS, "--model", "scripted"]
    code, out, err = genagents(*arguments, "--limit", "calls=5")
    assert code == 3
    assert "budget_exhausted" in out
    assert "budget reached: calls" in err
    assert "genagents resume run.sqlite" in err
    again = ("resume", "run.sqlite", "--quiet", "--trust", "unchanged", "--limit", "none")
    code, out, _ = genagents(*again)
    assert code == 0
    assert "(36 ticks): finished" in out
    assert genagents(*arguments, "--out", "whole.sqlite", "--quiet")[0] == 0
    hashes = {genagents("hash", name)[1] for name in ("run.sqlite", "whole.sqlite")}
    assert hashes == {canonical_hash("run.sqlite") + "\n"}
    code, out, _ = genagents(
        "resume", "run.sqlite", "--hours", "0.1", "--quiet", "--trust", "unchanged"
    )
    assert code == 0
    assert out.startswith("Resumed from tick 35, 09:05")
    assert "(72 ticks): finished" in out


def test_agents_may_have_policies_of_their_own(genagents: Run) -> None:
    code, out, _ = genagents(
        *("run", "tiny", "--hours", "0.02", "--quiet", "--policy", CURIOUS),
        *("--model", "scripted", "--policy-config", "every=1", "--policy", f"{ADA}=idle"),
    )
    assert code == 0
    assert "curious.py 1, idle 1" in out
    assert "Model scripted: 7 calls" in out


def test_show_narrows_by_time_and_person(lived: Run) -> None:
    code, whole, _ = lived("show", "run.sqlite")
    assert code == 0
    assert f"{ADA} is at" in whole
    start = whole.splitlines()[1][:5]
    assert lived("show", "run.sqlite", "--from", "23:59")[1] == ""
    assert lived("show", "run.sqlite", "--to", start)[1].splitlines()[1] == whole.splitlines()[1]
    of_ada = lived("show", "run.sqlite", "--agent", ADA)[1].splitlines()
    assert 0 < len(of_ada) < len(whole.splitlines())
    assert lived("show", "run.sqlite", "--agent", "ada")[1].splitlines() == of_ada
    code, _, err = lived("show", "run.sqlite", "--agent", "Zoe")
    assert (code, err) == (2, f"genagents: nobody is called 'Zoe'; there are {ADA}, Ben Carver\n")
    assert lived("show", "run.sqlite", "--from", "noonish")[0] == 2


def test_report_as_json_is_one_object(lived: Run) -> None:
    code, out, _ = lived("report", "run.sqlite", "--json")
    told = json.loads(out)
    assert code == 0
    assert (told["status"], told["last_tick"], told["degraded"]) == ("finished", 12, False)
    assert told["people"] == [ADA, "Ben Carver"]
    assert "finished" in lived("report", "run.sqlite")[1]


def test_export_names_its_files(lived: Run) -> None:
    code, out, _ = lived("export", "run.sqlite", "--out", "data")
    assert code == 0
    assert out.splitlines() == [
        f"data/{name}.jsonl"
        for name in (
            *("events", "calls", "ticks", "interviews", "remembered", "judgements", "notes"),
            *("actions", "responses"),
        )
    ]


def test_scenarios_and_policies_are_listed(genagents: Run) -> None:
    code, out, _ = genagents("list", "scenarios")
    assert code == 0
    names = [line.split()[0] for line in out.splitlines()]
    assert names == sorted(names)
    assert {"mayoral_election", "tiny", "valentines_party"} <= set(names)
    code, out, _ = genagents("list", "policies")
    assert code == 0
    assert {"idle", "random", "scripted"} <= {line.split()[0] for line in out.splitlines()}


def test_validate_prints_every_fault(genagents: Run) -> None:
    folder = Path("town")
    folder.mkdir()
    (folder / "scenario.toml").write_text('name = "Bad Name"\nhours = -1\nwat = 1\n')
    code, out, err = genagents("validate", "town")
    assert (code, out) == (2, "")
    assert len(err.splitlines()) >= 3
    assert all(line.startswith("scenario.toml:") for line in err.splitlines())
    assert genagents("validate", "tiny")[0] == 0


def test_validate_says_a_long_list_of_what_is_allowed_once(genagents: Run) -> None:
    genagents("new", "town")
    file = Path("town/people/omar_reed.toml")
    text = file.read_text().replace("Green/lawn", "Xyzzyqq").replace("Cottage/parlour", "Qqqqqqq")
    file.write_text(text)
    code, _, err = genagents("validate", "town")
    assert code == 2
    faults = err.splitlines()
    assert len(faults) == 4
    whole = '"Bakery/shop", "Bakery/shop/counter"'
    assert [whole in line for line in faults] == [True, True, False, False]
    assert faults[2].endswith('"Xyzzyqq"; allowed: as of people/omar_reed.toml:routine[0].place')


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["run", "atlantis"], 2, "no scenario"),
        (["run", "tiny", "--policy", "scriptd"], 2, "did you mean 'scripted'"),
        (["run", "tiny", "--policy", "Bob=idle"], 2, "nobody is called 'Bob'"),
        (["run", "tiny", "--policy", "idle", "--policy", "random"], 2, "NAME=random"),
        (["run", "tiny", "--policy", "idle", "--policy-config", "x=1"], 2, "policy 'idle'"),
        (["run", "tiny", "--start", "noon"], 2, "not a time"),
        (["run", "tiny", "--people", "Nobody"], 2, "Nobody"),
        (["run", "tiny", "--limit", "dollars=lots"], 2, "not a number"),
        (["run", "tiny", "--hours", "-1"], 2, "hours"),
        (["run", "tiny", "--out", "no/where.sqlite"], 2, "no folder no"),
        (["hash", "none.sqlite"], 2, "no run file none.sqlite"),
        (["resume", "none.sqlite"], 2, "no run file none.sqlite"),
        (["interview", "none.sqlite"], 2, "no run file none.sqlite"),
        (["validate", "nowhere"], 2, "no scenario"),
    ],
)
def test_mistakes_get_a_line_and_exit_code_two(
    genagents: Run, arguments: list[str], code: int, words: str
) -> None:
    got, out, err = genagents(*arguments)
    assert (got, out) == (code, "")
    assert words in err
    assert "Traceback" not in err
    assert not list(Path().iterdir())


def test_a_second_writer_exits_with_its_own_code(lived: Run) -> None:
    with RunWriter.open("run.sqlite"):
        code, _, err = lived("resume", "run.sqlite", "--hours", "1")
        assert code == 73
        assert "being written by process" in err
        assert lived("show", "run.sqlite")[0] == 0


def test_a_bug_becomes_a_report_without_keys(
    genagents: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-CANARY-0123456789abcdef")

    def broken(path: object) -> str:
        raise RuntimeError("it was sk-CANARY-0123456789abcdef")

    monkeypatch.setattr("genagents_env.cli.checks.canonical_hash", broken)
    code, out, err = genagents("hash", "run.sqlite")
    assert (code, out) == (70, "")
    assert len(err.splitlines()) == 1
    (path,) = Path().glob("genagents-crash-*.txt")
    report = path.read_text()
    assert "RuntimeError: it was [hidden]" in report
    assert "CANARY" not in report + err


def test_help_is_quick_and_names_every_command() -> None:
    program = (
        "import sys; sys.argv = ['genagents', '--help']\n"
        "from genagents_env.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "slow = {'networkx', 'openai', 'scipy', 'pydantic', 'PIL'} & set(sys.modules)\n"
        "assert not slow, slow\n"
    )
    child = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert child.returncode == 0, child.stderr
    for command in ("run", "resume", "hash", "show", "report", "interview", "validate", "export"):
        assert f" {command} " in child.stdout


def test_help_is_wrapped_to_the_terminal_alone(
    genagents: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    _, out, _ = genagents("prompts", "--help")
    lines = [line.strip() for line in out.splitlines()]
    first = next(k for k, line in enumerate(lines) if line.startswith("Tokens are counted"))
    paragraph = lines[first : lines.index("", first)]
    assert len(paragraph) > 3
    assert all(len(line) > 60 for line in paragraph[:-1]), "lines of the source end in between"


def test_chats_are_exported_of_runs_and_folders_of_them(genagents: Run) -> None:
    said = ("run", "tiny", "--policy", "direct", "--model", "scripted", "-q", "--out")
    Path("several/runs").mkdir(parents=True)
    assert genagents(*said, "several/runs/a.sqlite")[0] == 0
    assert genagents(*said, "several/runs/b.sqlite", "--seed", "1")[0] == 0
    code, out, err = genagents("export", "several", "--format", "chat", "--out", "chats")
    assert (code, out.strip(), err) == (0, "chats/chat.jsonl", "")
    rows = [json.loads(line) for line in Path("chats/chat.jsonl").read_text().splitlines()]
    assert {row["run"] for row in rows} == {"a.sqlite", "b.sqlite"}
    best = ("--best", "1", "--out", "best")
    assert genagents("export", "several", "--format", "chat", *best)[0] == 0
    kept = Path("best/chat.jsonl").read_text().splitlines()
    assert 0 < len(kept) < len(rows)
    code, _, err = genagents("export", "several/runs/a.sqlite", *best)
    assert code == 2
    assert "--format chat" in err
    code, _, err = genagents("export", "chats", "--format", "chat", "--out", "none")
    assert code == 2
    assert "no run files" in err


def test_verify_says_what_is_damaged_and_exits_with_1(genagents: Run, tmp_path: Path) -> None:
    genagents("run", "tiny", "--policy", "idle", "--hours", "0.02", "--out", "run.sqlite")
    code, out, _ = genagents("verify", "run.sqlite")
    assert (code, out.splitlines()[0]) == (0, "run.sqlite: whole, finished")
    with closing(sqlite3.connect(tmp_path / "run.sqlite")) as connection:
        (events,) = connection.execute("SELECT count(*) FROM actions").fetchone()
        connection.execute("DELETE FROM actions")
        connection.commit()
    assert events
    code, out, _ = genagents("verify", "run.sqlite")
    assert (code, out.splitlines()[0]) == (1, "run.sqlite: DAMAGED, finished")
    assert "  actions               0  rows of actions are missing or were added" in out
    code, out, _ = genagents("verify", "run.sqlite", "--json")
    told = json.loads(out)
    assert (code, told["whole"], told["status"]) == (1, False, "finished")


def test_a_run_that_ended_before_its_hours_cannot_be_continued(genagents: Run) -> None:
    assert genagents("run", "tiny", "-q")[0] == 0
    before = canonical_hash("run.sqlite")
    code, _, err = genagents("resume", "run.sqlite", "--hours", "1")
    assert (code, "ended at 09:02:00, before its hours were over" in err) == (2, True)
    assert canonical_hash("run.sqlite") == before
