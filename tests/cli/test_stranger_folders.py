"""What a stranger prepared leads no command elsewhere: links, lists, journals, bombs."""

import json
import lzma
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from genagents_env.config import TownConfig
from genagents_env.errors import FileError
from genagents_env.files import read_text
from genagents_env.memory.vector_file import read_vectors
from genagents_env.run import RunOptions, RunSpec, run
from genagents_env.run.policy_groups import PolicySpec
from genagents_env.study.judge.kept_answers import find_kept_file
from tests.campaigns.stranger_folders import make_super_journal, widen_dictionary
from tests.cli.conftest import Run
from tests.study.sweep.small_sweeps import create_sweep, run_in

ROOT = Path(__file__).parents[2]
ASK = ("--question", "Any news?", "--model", "scripted:neighbour", "--embedder", "hashed", "-q")
LINK = "is a link, and none is followed inside a folder"


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder: `out`, a sweep with one run, and `run.sqlite`, of minds."""
    folder = tmp_path_factory.mktemp("lived")
    sweep = create_sweep(folder, seeds=1)
    run_in(sweep, sweep.trials[0])
    spec = RunSpec(TownConfig("tiny", hours=0.02), policy=PolicySpec("smallville"))
    options = RunOptions(model="scripted:neighbour", embedder="hashed", checkpoint_every=5)
    run(spec, folder / "run.sqlite", options)
    return folder


@pytest.fixture
def sweep(lived: Path, tmp_path: Path) -> Path:
    """Return a copy of the sweep's folder."""
    return Path(shutil.copytree(lived / "out", tmp_path / "sweep"))


@pytest.fixture
def run_file(lived: Path, tmp_path: Path) -> Path:
    """Return a copy of the run file, alone in a folder."""
    (tmp_path / "run").mkdir()
    return Path(shutil.copy(lived / "run.sqlite", tmp_path / "run"))


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    """Return a folder of files that nobody named."""
    folder = tmp_path / "canary"
    folder.mkdir()
    for name in ("runs_by_arm.png", "index.html", "diary.jsonl"):
        (folder / name).write_text("{}\n")
    return folder


def read(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*.*")}


@pytest.mark.parametrize(
    ("place", "command"),
    [
        ("figures", ("report", "sweep")),
        ("runs", ("report", "sweep")),
        ("figures", ("report", "sweep", "--out", "page")),
        ("runs", ("sweep", "sweep", "-q")),
        ("damaged", ("sweep", "sweep", "-q")),
    ],
)
def test_a_folder_of_a_sweep_that_is_a_link_is_refused(
    genagents: Run, sweep: Path, canary: Path, place: str, command: tuple[str, ...]
) -> None:
    prepared = Path("page") if "page" in command else Path("sweep")
    prepared.mkdir(exist_ok=True)
    shutil.rmtree(prepared / place, ignore_errors=True)
    (prepared / place).symlink_to(canary)
    before = read(canary)
    sums = {f"{place}/{name}": sha256(text.encode()).hexdigest() for name, text in before.items()}
    (prepared / "report.json").write_text(json.dumps({"files": sums}))
    code, _, err = genagents(*command)
    assert read(canary) == before
    assert (code, f"{prepared / place} {LINK}" in err) == (2, True), err


@pytest.mark.parametrize(
    "place", ["log.jsonl", "base.json", "experiment.toml", "ledger.sqlite", "ledger.sqlite-wal"]
)
def test_a_file_of_a_sweep_that_is_a_link_or_has_a_second_name_is_refused(
    genagents: Run, sweep: Path, canary: Path, place: str
) -> None:
    if (sweep / place).exists():
        (sweep / place).rename(canary / place)
    (sweep / place).symlink_to(canary / place)
    before = read(canary)
    code, _, err = genagents("sweep", "sweep", "-q")
    assert (code, f"{Path('sweep') / place} {LINK}" in err) == (2, True), err
    if place == "log.jsonl":
        (sweep / place).unlink()
        os.link(canary / "diary.jsonl", sweep / place)
        code, _, err = genagents("sweep", "sweep", "-q")
        assert "log.jsonl cannot be written: it has 2 names (hard links); put a copy" in err
    assert read(canary) == before


def test_vectors_that_take_far_more_room_and_files_with_holes_are_not_read(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "vectors.npz", names=np.zeros(9_000_000, np.uint8))
    with pytest.raises(FileError, match="more than 20 times as large"):
        read_vectors(tmp_path / "vectors.npz")
    path = tmp_path / "ada_brook.json"
    for text in ("", '{"files": {'):
        path.write_text(text)
        os.truncate(path, 1 << 40)
        with pytest.raises(FileError, match="it has holes in it"):
            read_text(path, 1 << 50)
    for name in ("a.b", "a.c"):
        for end in ("", ".xz", ".gz"):
            kept = find_kept_file(tmp_path / f"{name}.sqlite{end}")
            assert kept == tmp_path / f"{name}.interviews.jsonl"


@pytest.mark.parametrize("kind", ["link", "hard link", "list"])
def test_the_index_of_a_report_leads_to_no_other_file(
    genagents: Run, sweep: Path, canary: Path, kind: str
) -> None:
    names = [str(canary / "diary.jsonl"), "../canary/diary.jsonl", "log.jsonl", "base.json"]
    index = canary / "report.json"
    index.write_text(json.dumps({"files": names}))
    put: dict[str, Callable[[Path, Path], object]]
    put = {"link": lambda a, b: b.symlink_to(a), "hard link": os.link, "list": shutil.copy}
    put[kind](index, sweep / "report.json")
    before = read(canary)
    Path("mine").symlink_to(sweep)  # the user's word
    assert genagents("report", "mine")[0] == 0
    assert read(canary) == before
    assert (sweep / "base.json").exists()


@pytest.mark.parametrize("hard", [False, True])
def test_answers_are_kept_in_no_link(
    genagents: Run, run_file: Path, canary: Path, hard: bool
) -> None:
    (canary / "diary.jsonl").write_text("")
    beside = run_file.with_name("run.interviews.jsonl")
    os.link(canary / "diary.jsonl", beside) if hard else beside.symlink_to(canary / "diary.jsonl")
    code, _, err = genagents("interview", str(run_file), "--ablations", *ASK)
    assert read(canary)["diary.jsonl"] == ""
    assert code == 2
    assert f"{beside} " in err
    assert ("2 names (hard links)" if hard else LINK) in err


def test_memories_are_neither_read_nor_written_through_a_link(
    genagents: Run, run_file: Path, canary: Path
) -> None:
    assert genagents("import-memories", str(run_file), "--out", "memories")[0] == 0
    place, other = Path("memories/ada_brook.json"), canary / "ada_brook.json"
    place.rename(other)
    place.symlink_to(other)
    before = read(canary)
    begin = ("run", "tiny", "--policy", "smallville", "--memories", "memories", *ASK[2:])
    code, _, err = genagents(*begin, "--start", "10:00", "--hours", "0.01", "--out", "new.sqlite")
    assert (code, f"{place} {LINK}" in err) == (2, True)
    code, _, err = genagents("import-memories", str(run_file), "--out", "memories")
    assert (code, "holds memories of people already" in err) == (2, True)
    assert read(canary) == before
    assert not Path("new.sqlite").exists()


@pytest.mark.parametrize(
    ("place", "command"),
    [
        ("out/events.jsonl", ("export", "RUN", "--out", "out")),
        ("out/chat.jsonl", ("export", "RUN", "--out", "out", "--format", "chat")),
        ("tiny.png", ("map", "draw", "tiny")),
        (
            "run/verdicts.jsonl",
            ("judge", "RUN", "--rubric", "believability", "--model", "scripted:neighbour", "-q"),
        ),
        ("out/sheet.txt", ("judge", "RUN", "--sheet", "out/sheet.csv")),
    ],
)
@pytest.mark.parametrize("there", [False, True])
def test_what_a_command_names_itself_is_no_link(
    genagents: Run,
    run_file: Path,
    canary: Path,
    place: str,
    command: tuple[str, ...],
    there: bool,
) -> None:
    Path("out").mkdir()
    (run_file.parent.parent / place).symlink_to(canary / ("diary.jsonl" if there else "new.txt"))
    before = read(canary)
    code, _, err = genagents(*(str(run_file) if word == "RUN" else word for word in command))
    assert (code, LINK in err, place in err) == (2, True, True), err
    assert read(canary) == before


def test_a_journal_beside_a_run_names_no_file_to_be_removed(
    genagents: Run, run_file: Path, canary: Path
) -> None:
    journal = run_file.with_name("run.sqlite-journal")
    journal.write_bytes(make_super_journal(run_file, canary / "diary.jsonl"))
    for command in (
        ("resume", str(run_file), "--hours", "0.03", *ASK[2:]),
        ("show", str(run_file)),
    ):
        code, _, err = genagents(*command)
        assert (canary / "diary.jsonl").exists()
        assert code == 2
        assert f"{journal} belongs to no run: another program" in err


def test_a_packed_run_is_given_no_more_than_a_run_takes(genagents: Run, run_file: Path) -> None:
    whole, packed = run_file.read_bytes(), run_file.with_name("run.sqlite.xz")
    packed.write_bytes(lzma.compress(whole))
    assert genagents("hash", str(packed))[0] == 0
    for content, why in (
        (widen_dictionary(lzma.compress(whole)), "Memory usage limit exceeded"),
        (lzma.compress(whole + bytes(40_000_000)), "it becomes more than 20 times as large"),
        (lzma.compress(whole) + lzma.compress(bytes(9)), "something follows its end"),
        (lzma.compress(bytes(9)), "is not a run file of genagents_env, only packed as one"),
    ):
        packed.write_bytes(content)
        code, _, err = genagents("show", str(packed))
        assert (code, why in err) == (2, True), err


@pytest.mark.slow
def test_nothing_elsewhere_changes_whatever_a_stranger_prepared() -> None:
    """In a process of its own: a child's peak begins with that of its parent."""
    command = [sys.executable, "-m", "tests.campaigns.stranger_folders", "--variants", "8"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
