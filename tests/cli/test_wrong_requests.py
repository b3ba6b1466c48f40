"""Whatever is asked of the command line: a sentence that names what is wrong, never a crash."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from genagents_env.config import TownConfig
from genagents_env.run import RunSpec, run

Run = Callable[..., tuple[int, str, str]]

LONG = "n" * 251
HUGE = "9" * 5000
LIVE = ("run", "tiny", "--hours", "0.01", "--quiet", "--out", "new.sqlite", "--policy")
JUDGE = ("--model", "scripted:neighbour")
EXPERIMENT = """
name = "x"
scenario = "tiny"
hours = 0.01
seeds = 1
policy = "idle"
"""
VERDICT = '{"kind": "rating", "block": ["a"], "seed": {}}\n'


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return a run file of some ticks."""
    path = tmp_path_factory.mktemp("lived") / "run.sqlite"
    run(RunSpec(TownConfig("tiny", hours=0.01)), path)
    return path.read_bytes()


@pytest.fixture
def folder(genagents: Run, lived: bytes) -> Path:
    """Fill the current folder with a run file and things that are none."""
    Path("run.sqlite").write_bytes(lived)
    Path("folder").mkdir()
    Path("empty").touch()
    Path("words.toml").write_text("no toml\n")
    Path("latin.toml").write_bytes(b'name = "caf\xe9"\n')
    Path("deep.toml").write_text("a = " + "[" * 5000)
    Path("study.toml").write_text(EXPERIMENT)
    Path("verdicts").write_text(VERDICT)
    Path("dangling").symlink_to("nowhere")
    os.mkfifo("pipe")
    return Path.cwd()


NUMBERS = [
    ((*LIVE, "idle", "--hours", "-1"), "hours: -1.0 is not allowed; more than 0"),
    ((*LIVE, "idle", "--hours", "0"), "hours: 0.0 is not allowed"),
    ((*LIVE, "idle", "--hours", "nan"), "hours: nan is not a finite number"),
    ((*LIVE, "idle", "--hours", HUGE), "hours: inf is not a finite number"),
    ((*LIVE, "idle", "--hours", "x"), "--hours"),
    ((*LIVE, "idle", "--seed", HUGE), "--seed"),
    ((*LIVE, "idle", "--seed", "-1"), "seed: -1 is not allowed; a whole number from 0 to"),
    ((*LIVE, "idle", "--seed", str(2**63)), "is not allowed; a whole number from 0 to"),
    (("list", "tasks", "meet", "--seed", "-1"), "--seed"),
    (("compare", "tiny", "--policies", "idle,random", "--seed", "-1"), "--seed"),
    (("judge", "run.sqlite", "--sheet", "s.csv", "--seed", "-1"), "--seed"),
    (("sweep", "study.toml", "--dry-run", "--seeds", "-1"), "seeds"),
    ((*LIVE, "idle", "--interviews", "21"), "--interviews"),
    (
        (*LIVE, "idle", "--limit", "calls=-1"),
        "--limit calls: -1 is not allowed; a number from 0 on is",
    ),
    ((*LIVE, "idle", "--limit", "dollars=nan"), "--limit dollars: nan is not allowed"),
    ((*LIVE, "idle", "--limit", "dollars=-1"), "--limit dollars: -1 is not allowed"),
    ((*LIVE, "idle", "--limit", "dollars=much"), "--limit dollars: 'much' is not a number"),
    ((*LIVE, "idle", "--limit", "seconds=nan"), "--limit seconds: nan"),
    (
        (*LIVE, "idle", "--endpoint", "concurrency=1" + "0" * 9),
        "a number from 1 to 4,096 is",
    ),
    ((*LIVE, "idle", "--start", "25:00"), "start: '2023-02-13T25:00' is not a time"),
    (("resume", "run.sqlite", "--hours", "-1"), "--hours"),
    (("resume", "run.sqlite", "--hours", "nan"), "--hours"),
    (("resume", "run.sqlite", "--hours", "1e300"), "hours"),
    (("report", "run.sqlite", "--speed", "nan"), "--speed nan is no speed"),
    (("show", "run.sqlite", "--from", "9" * 40), "is not a time"),
    (("interview", "run.sqlite", "--repeats", HUGE), "--repeats"),
    (
        ("judge", "run.sqlite", *JUDGE, "--rubric", "believability", "--repeats", "1" + "0" * 30),
        "--repeats",
    ),
    (("judge", "run.sqlite", *JUDGE, "--limit", "dollars=nan"), "--limit dollars: nan"),
    (("sweep", "study.toml", "--dry-run", "--workers", "1" + "0" * 30), "--workers"),
    (("sweep", "study.toml", "--dry-run", "--seeds", "1" + "0" * 30), "seeds"),
    (("sweep", "study.toml", "--dry-run", "--limit", "dollars=nan"), "--limit dollars: nan is not"),
]
POLICIES = [
    ((*LIVE, "scripted", "--policy-config", "share=lots"), "share: 'lots' is not allowed"),
    ((*LIVE, "scripted", "--policy-config", "share=NaN"), "share: 'NaN' is not allowed"),
    ((*LIVE, "scripted", "--policy-config", "share=2"), "share"),
    ((*LIVE, "scripted", "--policy-config", f"share={'[' * 5000}"), "share"),
    ((*LIVE, "scripted", "--policy-config", f"share={HUGE}"), "share"),
    ((*LIVE, "random", "--policy-config", "message=1"), "message: 1 is not allowed; text is"),
    *(
        ((*LIVE, policy, *JUDGE, "--policy-config", option), f"policy '{policy}'")
        for policy in ("idle", "random", "scripted")
        for option in ("wrong=1", "self=1", "name=x")
    ),
    *(
        ((*LIVE, policy, *JUDGE, "--policy-config", option), policy)
        for policy in ("reactive", "smallville", "lyfe")
        for option in ("wrong=1", "self=1", "name=x")
    ),
    ((*LIVE, "idle", "--policy-config", "x"), "'x': expected KEY=VALUE"),
    ((*LIVE, "idle", "--policy", "random"), "for whom is one? NAME=random"),
    ((*LIVE, "idle", "--policy", "nobody=idle"), "nobody"),
    ((*LIVE, "Ada Brook="), "'Ada Brook=': expected NAME=VALUE"),
    (
        (*LIVE, "idle", "--policy", "Ada=idle", "--policy", "Ada=random"),
        "'Ada' is given twice: 'idle' and 'random'",
    ),
    ((*LIVE, "idle", "--policy", "Ada Brook=nope"), "no policy 'nope'"),
    ((*LIVE, "folder/none.py"), "folder/none.py"),
    ((*LIVE, f"{LONG * 2}.py"), "too long"),
    ((*LIVE, "idle", "--people", "Nobody"), "Nobody"),
    ((*LIVE, "idle", "--place", "Nowhere"), "Nowhere"),
]
INPUTS = [
    *((("interview", path), "is a folder; name a run file") for path in (".", "/", "")),
    *(
        ((*command, path), path.split("/")[0])
        for path in ("missing", "folder", "empty", "dangling", "pipe", "words.toml")
        for command in (("hash",), ("show",), ("resume",), ("judge",), ("interview",))
    ),
    *(
        ((*command, LONG * 2), "this name is too long")
        for command in (("hash",), ("report",), ("judge", "--pairwise"), ("sweep",))
    ),
    *(
        (("judge", "run.sqlite", "--by", "Ana", "--read", path), told)
        for path, told in (
            ("folder", "folder cannot be read: this is a folder"),
            ("pipe", "pipe cannot be read: this is no regular file"),
            ("latin.toml", "byte 11 is no UTF-8 text"),
        )
    ),
    *(
        (("judge", "run.sqlite", *JUDGE, "--rubric", f"./{path}"), told)
        for path, told in (
            ("folder", "folder cannot be read: this is a folder"),
            ("pipe", "pipe cannot be read: this is no regular file"),
            ("latin.toml", "no UTF-8 text"),
            ("words.toml", "no TOML"),
            ("deep.toml", "nested too deeply"),
            ("missing.toml", "missing.toml cannot be read: there is no such file"),
        )
    ),
    *(
        (("sweep", path, "--dry-run"), path)
        for path in ("missing", "folder", "pipe", "empty", "words.toml", "latin.toml", "deep.toml")
    ),
    (("list", "measures", f"{LONG * 2}.py:X"), "this name is too long"),
]
OUTPUTS = [
    *(
        ((*LIVE, "idle", "--out", path), told)
        for path, told in [
            ("folder", "folder"),
            ("empty/x", "empty"),
            ("missing/x", "missing"),
            ("/proc/x", "/proc/x"),
            (LONG, "too long"),
        ]
    ),
    ((*LIVE, "idle", "--out", "folder", "--force"), "folder"),
    *(
        ((command, "run.sqlite", option, path), told)
        for command, option in (("export", "--out"), ("report", "--out"), ("judge", "--sheet"))
        for path, told in (
            ("empty/x", "is a file"),
            (LONG * 2, "this name is too long"),
        )
    ),
    (
        ("export", "run.sqlite", "--out", "/proc/x/y"),
        "/proc/x/y cannot be written: there is",
    ),
    (("export", "run.sqlite", "--out", "empty"), "empty cannot be written: a file stands"),
    (
        ("export", "run.sqlite", "--out", "dangling"),
        "dangling cannot be written: a file stands",
    ),
    (("report", "run.sqlite", "--out", "empty"), "empty is a file"),
    (
        ("judge", "run.sqlite", "--sheet", "folder"),
        "folder cannot be written: this is",
    ),
    (
        ("judge", "run.sqlite", "--sheet", "pipe"),
        "pipe cannot be written: this is no",
    ),
    (("judge", "run.sqlite", "--sheet", "n" * 255), "this name is too long"),
    (("sweep", "study.toml", "--dry-run", "--out", "empty"), "empty is a file"),
    (("sweep", "study.toml", "--dry-run", "--out", LONG * 2), "this name is too long"),
]


def check_refusal(ended: tuple[int, str, str], named: str) -> None:
    """Check that a command ended with a sentence that has the words `named`, and no crash."""
    code, _, err = ended
    assert code == 2, err
    assert "Traceback" not in err
    assert "genagents: unexpected" not in err
    assert list(Path.cwd().glob("genagents-crash-*")) == []
    assert named in " ".join(err.split())


@pytest.mark.parametrize(("arguments", "named"), NUMBERS)
def test_a_number_out_of_range_is_named(
    genagents: Run, folder: Path, arguments: tuple[str, ...], named: str
) -> None:
    check_refusal(genagents(*arguments), named)


@pytest.mark.parametrize(("arguments", "named"), POLICIES)
def test_an_option_that_a_policy_lacks_is_named(
    genagents: Run, folder: Path, arguments: tuple[str, ...], named: str
) -> None:
    check_refusal(genagents(*arguments), named)


@pytest.mark.parametrize(("arguments", "named"), INPUTS)
def test_a_file_that_cannot_be_read_is_named(
    genagents: Run, folder: Path, arguments: tuple[str, ...], named: str
) -> None:
    check_refusal(genagents(*arguments), named)


@pytest.mark.parametrize(("arguments", "named"), OUTPUTS)
def test_a_place_that_cannot_be_written_is_named(
    genagents: Run, folder: Path, arguments: tuple[str, ...], named: str
) -> None:
    before = sorted(path.name for path in folder.iterdir())
    check_refusal(genagents(*arguments), named)
    assert sorted(path.name for path in folder.iterdir()) == before
