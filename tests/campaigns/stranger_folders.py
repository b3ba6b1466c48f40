"""Folders and files that a stranger prepared, through every command: nothing elsewhere changes.

Run: `python -m tests.campaigns.stranger_folders` (200 variants, some fifteen minutes of the
processor). Each variant is one command on whole folders in which one or two places are links, hard
links, pipes or bombs, drawn by seed. Beside them is a canary: the same
folders once more, to which the links lead. A command is a child of its own; it ends in an answer or
a sentence, leaves the canary as it was, and takes at most 300 MB.
"""

import argparse
import gzip
import io
import lzma
import os
import random
import shutil
import sys
import tempfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from genagents_env.run import RunOptions
from genagents_env.study.judge import judge_run
from genagents_env.study.sweep.ledger import SharedLedger
from tests.campaigns.forged_files import BUG, Ending, list_codes, list_state, run_command
from tests.campaigns.forger import connect, make_sources, sign
from tests.study.sweep.small_sweeps import create_sweep, run_in

MEGABYTES = 300
SECONDS = 60  # of the processor
BY = ("--rubric", "believability")
MODEL = ("--model", "scripted:neighbour", "--embedder", "hashed", "--quiet")
ASK = ("--question", "Any news?", *MODEL)
RUN, PACKED, STOPPED = "../run/a.b.sqlite", "../run/p.sqlite.xz", "../run/stopped.sqlite"
TRIAL = "runs/TRIAL"  # the file of a sweep's first run
BESIDE = ("-wal", "-shm", "-journal")

# What a command is, and what of the folders that it is given is its own to name: a part of each
# variant is one of these places. A file that the user names may be a link.
Command = tuple[tuple[str, ...], tuple[str, ...]]
_IN_SWEEP = (
    *(f"sweep/{name}" for name in ("figures", "report.html", "report.json")),
    *("sweep/runs.csv", "sweep/runs", f"sweep/{TRIAL}", "sweep/log.jsonl", "sweep/ledger.sqlite"),
    *("sweep/ledger.sqlite-wal", "sweep/ledger.sqlite.lock", "sweep/base.json", "sweep/damaged"),
    *("sweep/ledger.sqlite.1.lock", "sweep/plan.json", f"sweep/{TRIAL}.values.json"),
    *("sweep/experiment.toml", "sweep/verdicts.jsonl"),
    *(f"sweep/{TRIAL}{end}" for end in BESIDE),
)
_IN_REPORT = ("out/figures", "out/report.html", "out/report.json", "out/runs.csv")
_BESIDE_RUN = tuple(f"run/a.b.sqlite{end}" for end in BESIDE)
_ANSWERS = ("run/a.b.interviews.jsonl", *_BESIDE_RUN)
_LINES = tuple(f"out/{name}.jsonl" for name in ("events", "calls", "ticks", "interviews", "notes"))
_MINDS = ("memories/vectors.npz", "memories/ada_brook.json", "memories/more.json")
COMMANDS: tuple[Command, ...] = (
    (("report", "../sweep"), _IN_SWEEP),
    (("report", "../sweep"), ("sweep/report.json", "sweep/figures")),
    (("report", "../sweep", "--out", "../out"), _IN_REPORT),
    (("report", RUN, "--out", "../out"), (*_IN_REPORT, *_ANSWERS)),
    (("report", RUN, "--json"), _ANSWERS),
    (("sweep", "../sweep", "-q"), _IN_SWEEP),
    (("sweep", "../sweep", "-q", "--seeds", "2"), _IN_SWEEP),
    (("sweep", "../sweep/experiment.toml", "--out", "../sweep", "--dry-run", "-q"), _IN_SWEEP),
    (("judge", "../sweep", "--repeats", "1", *MODEL[:2], "--quiet"), _IN_SWEEP),
    (("judge", "../sweep", "--sheet", "../out/sheet.csv"), (*_IN_SWEEP, "out/sheet.txt")),
    (("judge", RUN, *BY, "--repeats", "1", *MODEL[:2], "--quiet"), ("run/verdicts.jsonl",)),
    (("interview", RUN, "--ablations", *ASK), _ANSWERS),
    (("interview", RUN, "--list"), _ANSWERS),
    (("interview", PACKED, *ASK), ("run/p.sqlite.xz",)),
    (("show", RUN), _BESIDE_RUN),
    (("show", PACKED), ("run/p.sqlite.xz",)),
    (("report", PACKED), ("run/p.sqlite.xz",)),
    (("hash", PACKED), ("run/p.sqlite.xz",)),
    (("verify", RUN), _BESIDE_RUN),
    (("judge", RUN, *MODEL[:2], "--quiet"), _BESIDE_RUN),
    (("resume", STOPPED, *MODEL), tuple(f"run/stopped.sqlite{end}" for end in BESIDE)),
    (("export", RUN, "../here/page.html"), _ANSWERS),
    (("export", RUN, "--out", "../out"), _LINES),
    (("export", RUN, "--out", "../out", "--format", "chat"), ("out/chat.jsonl",)),
    (("import-memories", RUN, "--out", "../out"),
     ("out/vectors.npz", "out/ada_brook.json")),
    (("run", "tiny", "--policy", "smallville", "--memories", "../memories", "--hours", "0.01",
      "--start", "10:00", "--out", "../out/new.sqlite", *MODEL), _MINDS),
    (("run", "tiny", "--hours", "0.01", "--quiet", "--out", "../out/new.sqlite"),
     ("out/new.sqlite", "out/.new.sqlite.new", "out/.new.sqlite.new-wal", "out/new.sqlite-wal",
      "out/.new.sqlite.new-journal")),
    (("map", "draw", "tiny"), ("here/tiny.png",)),
)  # fmt: skip


def make_whole(folder: Path) -> None:
    """Make the folders that are prepared later, whole: `run`, `sweep`, `memories`, `bombs`."""
    run, sweep = folder / "run", folder / "sweep"
    run.mkdir(parents=True)
    finished, stopped, _ = make_sources(run)
    finished.rename(run / "a.b.sqlite")
    assert stopped == run / "stopped.sqlite"
    made = create_sweep(folder, seeds=1, judge=False)
    run_in(made, made.trials[0])
    made.path.rename(sweep)
    for name in ("out", "here", "memories"):
        (folder / name).mkdir()
    judge_run(run / "a.b.sqlite", RunOptions(model="scripted:neighbour"))
    for command in (
        ("report", "../sweep"),
        ("interview", RUN, "--ablations", *ASK),
        ("judge", RUN, *BY, "--repeats", "1", *MODEL[:2], "--quiet"),
        ("import-memories", RUN, "--out", "../memories"),
    ):
        ended = run_command(command, folder / "here", folder / "canary", SECONDS)
        assert ended.code == 0, (command, ended)
    (run / "p.sqlite.xz").write_bytes(lzma.compress((run / "a.b.sqlite").read_bytes()))
    make_bombs(folder / "bombs", run / "a.b.sqlite")


def make_bombs(folder: Path, run: Path) -> None:
    """Make files that hold far more than they seem to: `.xz` for packed runs, others by ending."""
    folder.mkdir()
    whole, zeros = run.read_bytes(), bytes(400_000_000)
    huge = lzma.compress(zeros, preset=1)
    packed = {
        "zeros": huge,
        "dictionary": widen_dictionary(huge),
        "header": lzma.compress(b"SQLite format 3\0" + zeros, preset=1),
        "grown": lzma.compress(whole + zeros, preset=1),
        "wide": widen_dictionary(lzma.compress(whole + zeros, preset=1)),
        "followed": lzma.compress(whole) + huge,
        "alone": lzma.compress(whole + zeros, lzma.FORMAT_ALONE, preset=1),
        "twice": lzma.compress(huge),
        "torn": lzma.compress(whole)[:-40],
        "noise": random.Random(1).randbytes(1 << 20),  # noqa: S311 (no secret)
        "gzip": gzip.compress(whole + zeros, 1),
        "head": lzma.compress(_fill(run, "UPDATE meta SET value = ? WHERE key = 'arguments'")),
        "town": lzma.compress(_fill(run, "UPDATE meta SET value = ? WHERE key = 'scenario'")),
        "state": lzma.compress(_fill(run, "UPDATE checkpoints SET body = ?", packed=True)),
        "prompt": lzma.compress(_fill(run, "UPDATE calls SET messages = ?", packed=True)),
    }
    for name, content in packed.items():
        (folder / f"{name}.xz").write_bytes(content)
    brackets = "[" + "[]," * 8_000_000 + "[]]"
    (folder / "deep.json").write_text("[" * 900_000)
    (folder / "wide.json").write_text(f'{{"files": {brackets}}}')
    (folder / "long.json").write_text('{"name": "' + "x" * 40_000_000)
    (folder / "lines.json").write_text("\n" * 40_000_000)
    vectors = folder / "vectors.npz"
    with zipfile.ZipFile(vectors, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        array = io.BytesIO()
        array.write(b"\x93NUMPY\x01\x00v\x00")
        head = "{'descr': '|u1', 'fortran_order': False, 'shape': (400000000,), }"
        array.write(head.ljust(117).encode() + b"\n")
        file.writestr("names.npy", array.getvalue() + zeros)


def widen_dictionary(packed: bytes) -> bytes:
    """Return a stream of xz that asks for 4 GiB of memory, which its reader fills as it goes on."""
    size = (packed[12] + 1) * 4
    head = bytearray(packed[12 : 12 + size - 4])
    at = head.index(b"\x21\x01")  # LZMA2, with a byte of properties
    head[at + 2] = 40
    return packed[:12] + head + zlib.crc32(head).to_bytes(4, "little") + packed[12 + size :]


def _fill(run: Path, statement: str, *, packed: bool = False) -> bytes:
    """Return a run file in which a value is all brackets, with checksums to suit."""
    with tempfile.TemporaryDirectory() as made:
        path = Path(made) / run.name
        shutil.copyfile(run, path)
        with closing(connect(path)) as connection:
            text = "[" + "[]," * 4_000_000 + "[]]"
            connection.execute(statement, (zlib.compress(bytes(300_000_000)) if packed else text,))
            sign(connection)
        return path.read_bytes()


def make_case(whole: Path, case: Path, draw: random.Random) -> tuple[tuple[str, ...], str]:
    """Make the folders of a variant in `case`; return the command, and what was done to them."""
    for name in ("run", "sweep", "memories", "out", "here"):
        shutil.copytree(whole / name, case / name, symlinks=True)
        shutil.copytree(whole / name, case / "canary" / name, symlinks=True)
    other = case / "canary" / "sweep"
    (case / "canary" / "diary.txt").write_text("dear diary")
    (other / "log.jsonl").write_text('{"event": "started"}\n')
    SharedLedger(other / "ledger.sqlite").close()
    (other / "damaged").mkdir()
    trial = next((case / "sweep" / "runs").glob("*.sqlite")).name
    command, places = draw.choice(COMMANDS)
    done = []
    for place in draw.sample(places, min(len(places), draw.choice((1, 1, 2)))):
        path = case / place.replace("TRIAL", trial)
        path.parent.mkdir(exist_ok=True)
        if path.parent.is_symlink():
            continue
        traps = list(_list_traps(whole / "bombs", path, case / "canary"))
        trap = draw.choice(traps)
        _clear(path)
        done.append(f"{place}: {trap.__name__.strip('_')} {trap(draw) or ''}")
    if draw.random() < 0.2 and "sweep" in command[0] + command[1]:  # the user's own link
        (case / "sweep").rename(case / "elsewhere")
        (case / "sweep").symlink_to(case / "elsewhere")
        done.append("sweep is a link itself")
    return command, "; ".join(done)


Trap = Callable[[random.Random], str | None]


def _list_traps(bombs: Path, path: Path, canary: Path) -> Iterator[Trap]:
    """Yield what can be put at `path`; `canary` has what a link may lead to."""
    other = canary / path.relative_to(canary.parent)
    if not other.exists():
        other = canary / "diary.txt"

    def link(draw: random.Random) -> None:
        path.symlink_to(other)

    def dangling(draw: random.Random) -> None:
        path.symlink_to(canary / draw.choice(("new", f"new-{path.name}")))

    def hard_link(draw: random.Random) -> None:
        if other.is_dir():
            path.mkdir()
            for one in sorted(other.iterdir()):
                os.link(one, path / one.name)
        else:
            os.link(other, path)

    def relative(draw: random.Random) -> None:
        path.symlink_to(os.path.relpath(other, path.parent))

    def pipe(draw: random.Random) -> None:
        os.mkfifo(path)

    def folder(draw: random.Random) -> None:
        path.mkdir()

    def holes(draw: random.Random) -> None:
        path.write_bytes(draw.choice((b"", b"{", b'{"files": {', b"SQLite format 3\0")))
        os.truncate(path, 3 << 30)

    def bomb(draw: random.Random) -> str:
        kinds = [path.suffix] if path.suffix in (".xz", ".npz") else [".json"]
        chosen = draw.choice(sorted(one for one in bombs.iterdir() if one.suffix in kinds))
        shutil.copyfile(chosen, path)
        return chosen.name

    def super_journal(draw: random.Random) -> None:
        path.write_bytes(make_super_journal(Path(str(path).removesuffix("-journal")), other))

    common = (link, link, relative, dangling, hard_link, pipe, folder, holes, bomb)
    if path.suffix in (".xz", ".npz"):
        yield bomb
    elif path.name.endswith("-journal"):
        yield from (*common, super_journal, super_journal, super_journal)
    else:
        yield from common


def make_super_journal(run: Path, victim: Path) -> bytes:
    """Return a hot journal of `run` that names a file, which SQLite removes when it rolls back."""
    page = run.read_bytes()[:4096] if run.is_file() else bytes(4096)
    name, magic = str(victim).encode(), bytes.fromhex("d9d505f920a163d7")
    pages = max(1, run.stat().st_size // 4096 if run.is_file() else 1)
    numbers = (1, 0, pages, 512, 4096)  # pages here, nonce, pages of the file, sector, page size
    head = magic + b"".join(number.to_bytes(4, "big") for number in numbers)
    total = sum(page[at] for at in range(4096 - 200, 0, -200))
    end = ((1 << 30) // 4096 + 1).to_bytes(4, "big") + name
    end += len(name).to_bytes(4, "big") + (sum(name) & 0xFFFFFFFF).to_bytes(4, "big") + magic
    record = (1).to_bytes(4, "big") + page + (total & 0xFFFFFFFF).to_bytes(4, "big")
    return head.ljust(512, b"\0") + record + end


def _clear(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def find_faults(ending: Ending, before: dict[str, str], canary: Path) -> Iterator[str]:
    """Yield what was wrong with how a command ended, and with what became of the canary."""
    after = list_state(canary)
    changed = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
    if changed:
        yield f"CHANGED ELSEWHERE {changed[:4]}"
    if ending.code not in list_codes() or ending.code == BUG:
        yield f"exit {ending.code}"
    if "Traceback" in ending.text:
        yield "a traceback"
    if ending.code and "genagents: " not in ending.text:
        yield "no sentence"
    if ending.peak > MEGABYTES:
        yield f"{ending.peak} MB"


def main(variants: int = 200, seed: int = 0, *, show: bool = False) -> int:
    """Run the variants, print what came of those with a fault, or of all, and return 1 or 0."""
    codes: Counter[int] = Counter()
    peaks: dict[str, int] = {}
    faulty = 0
    with tempfile.TemporaryDirectory(prefix="stranger-") as made:
        root = Path(made).resolve()
        make_whole(root / "whole")
        for number in range(seed, seed + variants):
            case = root / f"case_{number}"
            case.mkdir()
            draw = random.Random(number)  # noqa: S311 (no secret)
            command, done = make_case(root / "whole", case, draw)
            before = list_state(case / "canary")
            ending = run_command(command, case / "here", case / "canary", SECONDS)
            faults = list(find_faults(ending, before, case / "canary"))
            codes[ending.code] += 1
            peaks[command[0]] = max(peaks.get(command[0], 0), ending.peak)
            faulty += bool(faults)
            if faults or show:
                said = " | ".join(ending.text.split("\n"))[-700:]
                crash = "".join(p.read_text()[-900:] for p in case.rglob("genagents-crash-*"))
                print(f"{number}: {' '.join(command)}: {done}: {'; '.join(faults)}")
                print(f"   {said} {crash}", flush=True)
            shutil.rmtree(case)
    ended = ", ".join(f"{count} with {code}" for code, count in sorted(codes.items()))
    print(f"{sum(codes.values())} variants ended: {ended}; {faulty} with a fault")
    print("peak MB: " + ", ".join(f"{name} {peak}" for name, peak in sorted(peaks.items())))
    return int(faulty > 0)


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--variants", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", action="store_true", help="every variant")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(**vars(parse(sys.argv[1:]))))
