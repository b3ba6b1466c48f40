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


def test_run_prints_story_summary_and_run_file_and_overwrites_none(genagents: Run) -> None:
    how = ("run", "tiny", "--start", "08:00", "--hours", "0.1", "--seed", "3")
    code, out, _ = genagents(*how, "--policy", "idle", "--policy", f"{ADA}=scripted")
    assert code == 0
    assert f"{ADA} is at" in out
    assert "(36 ticks): finished" in out
    assert "idle 1, scripted 1" in out
    assert "Run file: run.sqlite  (look: genagents view run.sqlite)" in out
    before = Path("run.sqlite").read_bytes()
    assert genagents(*how)[0] == 2
    assert Path("run.sqlite").read_bytes() == before
    assert genagents(*how, "--force", "--quiet")[0] == 0


def test_validate_prints_every_fault_and_a_long_list_of_what_is_allowed_once(
    genagents: Run,
) -> None:
    Path("bad").mkdir()
    Path("bad/scenario.toml").write_text('name = "Bad Name"\nhours = -1\nwat = 1\n')
    code, out, err = genagents("validate", "bad")
    assert (code, out, len(err.splitlines()) >= 3) == (2, "", True)
    assert all(line.startswith("scenario.toml:") for line in err.splitlines())
    genagents("new", "town")
    file = Path("town/people/omar_reed.toml")
    text = file.read_text().replace("Green/lawn", "Xyzzyqq").replace("Cottage/parlour", "Qqqqqqq")
    file.write_text(text)
    faults = genagents("validate", "town")[2].splitlines()
    whole = '"Bakery/shop", "Bakery/shop/counter"'
    assert [whole in line for line in faults] == [True, True, False, False]
    assert faults[2].endswith('"Xyzzyqq"; allowed: as of people/omar_reed.toml:routine[0].place')


def test_a_run_that_ended_before_its_hours_or_for_ever_cannot_be_continued(genagents: Run) -> None:
    assert genagents("run", "tiny", "-q")[0] == 0
    before = canonical_hash("run.sqlite")
    for hours, said in (("1", "ended at 09:02:00, before its hours were over"), ("1e300", "hours")):
        code, _, err = genagents("resume", "run.sqlite", "--hours", hours)
        assert (code, said in err) == (2, True)
    assert canonical_hash("run.sqlite") == before


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


def test_chats_are_exported_of_runs_and_folders_of_them(genagents: Run) -> None:
    said = ("run", "tiny", "--policy", "direct", "--model", "scripted", "-q", "--out")
    Path("several/runs").mkdir(parents=True)
    assert genagents(*said, "several/runs/a.sqlite")[0] == 0
    assert genagents(*said, "several/runs/b.sqlite", "--seed", "1")[0] == 0
    chat = ("export", "several", "--format", "chat", "--out")
    assert genagents(*chat, "chats") == (0, "chats/chat.jsonl\n", "")
    rows = [json.loads(line) for line in Path("chats/chat.jsonl").read_text().splitlines()]
    assert {row["run"] for row in rows} == {"a.sqlite", "b.sqlite"}
    assert genagents(*chat, "best", "--best", "1")[0] == 0
    assert 0 < len(Path("best/chat.jsonl").read_text().splitlines()) < len(rows)


def test_verify_says_what_is_damaged_and_exits_with_1(lived: Run) -> None:
    code, out, _ = lived("verify", "run.sqlite")
    assert (code, out.splitlines()[0]) == (0, "run.sqlite: whole, finished")
    with closing(sqlite3.connect("run.sqlite")) as connection:
        connection.execute("DELETE FROM actions")
        connection.commit()
    code, out, _ = lived("verify", "run.sqlite")
    assert (code, out.splitlines()[0]) == (1, "run.sqlite: DAMAGED, finished")
    assert "  actions               0  rows of actions are missing or were added" in out
    code, out, _ = lived("verify", "run.sqlite", "--json")
    told = json.loads(out)
    assert (code, told["whole"], told["status"]) == (1, False, "finished")
