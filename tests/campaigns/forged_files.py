"""Forged run files through every command: a message or an answer, and nothing beside the file.

Run: `python -m tests.campaigns.forged_files --files 200` (about fifteen minutes). CI takes twelve
files, each through a quarter of the commands.

Each command is a child of its own, of 20 seconds of processor time and 1 GB of memory. The forger
can recompute every checksum, so checksums are no defence here.
"""

import argparse
import contextlib
import hashlib
import os
import re
import resource
import shutil
import signal
import stat
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from genagents_env.cli import main as genagents
from genagents_env.cli.app import app
from tests.campaigns.forger import NAME, Forger, make_canary, make_sources, make_sweep

SECONDS, MEMORY = 20, 2**30  # of each command
MODEL = ("--model", "scripted:neighbour")
EMBEDDER = ("--embedder", "hashed")
BUG = 70
SWEEP = "../sweep/out"
OUTPUTS = ("out", "page")  # how the names begin of what commands are told to write
VERDICTS = "run/verdicts.jsonl"  # what a rubric came to
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("hash", NAME),
    ("show", NAME),
    ("report", NAME),
    ("report", NAME, "--json"),
    ("report", NAME, NAME),
    ("report", NAME, "--out", "../page"),
    ("report", SWEEP, "--out", "../page"),
    ("export", NAME, "--out", "../out"),
    ("interview", NAME, "--question", "Any news?", "--quiet", *MODEL, *EMBEDDER),
    ("judge", NAME, "--quiet", *MODEL),
    ("resume", NAME, "--quiet", *MODEL, *EMBEDDER),
    ("resume", NAME, "--quiet", "--hours", "0.01", *MODEL, *EMBEDDER),
    ("judge", NAME, "--rubric", "believability", "--quiet", "--repeats", "1", *MODEL),
    ("judge", NAME, "--sheet", "../out.csv"),
    ("fork", NAME, "--at", "09:00:10", "--out", "../out.sqlite", "--quiet", *MODEL, *EMBEDDER),
    ("import-memories", NAME, "--out", "../out"),
    ("film", NAME, "../out.png", "--at", "09:00:10"),
    ("prompts", NAME),
    ("verify", NAME),
)
WRITING = ("interview", "judge", "resume")  # into the run file: an interview what it spent


@dataclass(frozen=True, slots=True)
class Ending:
    """How a command ended: its exit code (negative: of a signal), what it printed, its memory.

    `peak` is in megabytes, of the largest of its processes.
    """

    code: int
    text: str
    peak: int


def list_codes() -> set[int]:
    """Return the exit codes that `genagents --help` lists, but that of a crash."""
    return {int(code) for code in re.findall(r"\b(\d+) +[a-z]", str(app.info.epilog))} - {BUG}


def run_command(
    arguments: Sequence[str], folder: Path, forbidden: Path, seconds: int = SECONDS
) -> Ending:
    """Run a command in a child, which may not open anything in `forbidden`."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        os._exit(_live(arguments, folder, forbidden, write, seconds))
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        text = pipe.read().decode("utf-8", "replace")
    _, status, used = os.wait4(child, 0)
    return Ending(os.waitstatus_to_exitcode(status), text, used.ru_maxrss >> 10)


def _live(
    arguments: Sequence[str], folder: Path, forbidden: Path, output: int, seconds: int
) -> int:
    for descriptor in (1, 2):
        os.dup2(output, descriptor)
    sys.stdout, sys.stderr = (
        os.fdopen(descriptor, "w", encoding="utf-8", errors="replace", closefd=False)
        for descriptor in (1, 2)
    )
    used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGESIZE")
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    signal.alarm(10 * seconds)
    os.environ["LOKY_MAX_CPU_COUNT"] = "1"  # a sweep's report reads in this process
    os.chdir(folder)
    sys.argv = ["genagents", *arguments]

    def watch(event: str, args: tuple[object, ...]) -> None:
        if event in ("open", "import", "exec") and str(forbidden) in str(args[0]):
            os.write(2, f"Opened: {args[0]!r}\n".encode())

    sys.addaudithook(watch)
    try:
        genagents()
    except SystemExit as ended:
        code = ended.code
        with contextlib.suppress(OSError):
            sys.stdout.flush()
        return code if isinstance(code, int) else 0 if code is None else 1
    return 0


def list_state(folder: Path) -> dict[str, str]:
    """Return what is in a folder: kind and content of each thing, by name."""
    return dict(_list_state(folder))


def _list_state(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob("*")):
        mode = path.lstat().st_mode
        content = ""
        if stat.S_ISREG(mode):
            content = hashlib.sha256(path.read_bytes()).hexdigest()
        elif stat.S_ISLNK(mode):
            content = os.readlink(path)
        yield str(path.relative_to(folder)), f"{stat.S_IFMT(mode):o} {content}"


def find_faults(
    ending: Ending, command: Sequence[str], before: dict[str, str], folder: Path
) -> Iterator[str]:
    """Yield what was wrong with how a command ended, and with what it left in `folder`."""
    if ending.code not in list_codes():
        yield f"exit {ending.code}"
    if "Traceback" in ending.text:
        yield "a traceback"
    if "Opened: " in ending.text:
        yield "opened " + ending.text.partition("Opened: ")[2][:80]
    if ending.code and not ending.text.strip():
        yield "no message"
    if "\x1b" in ending.text:
        yield "an escape sequence"
    after = list_state(folder)
    files = [str(path.relative_to(folder)) for path in (folder / "run" / NAME, find_trial(folder))]
    allowed = {name + end for name in files for end in ("-wal", "-shm")}
    if command[0] in WRITING:
        # The lock stays where a log cannot be folded into a damaged file.
        allowed |= {f"run/{NAME}{end}" for end in ("", "-journal", ".lock")}
    changed = {name for name in {*before, *after} if before.get(name) != after.get(name)} - allowed
    changed = {name for name in changed - {VERDICTS} if not name.startswith(OUTPUTS)}
    if changed:
        yield f"changed {sorted(changed)}"


def read_crash(folder: Path) -> str:
    """Return the end of the report of a crash, where there is one."""
    return "".join(path.read_text()[-700:] for path in folder.rglob("genagents-crash-*"))


def copy_folder(source: Path, target: Path) -> None:
    target.mkdir()
    for path in source.iterdir():
        copy_thing(path, target / path.name)


def copy_thing(path: Path, to: Path) -> None:
    mode = path.lstat().st_mode
    if stat.S_ISFIFO(mode):
        os.mkfifo(to)
    elif stat.S_ISDIR(mode):
        to.mkdir()
    else:
        shutil.copy2(path, to, follow_symlinks=False)


def find_trial(case: Path) -> Path:
    """Return where in a case the sweep has its first run."""
    return min((case / "sweep" / "out" / "runs").glob("*.sqlite"))


def make_case(case: Path, forged: Path, sweep: Path) -> None:
    """Make a folder of a forged file, alone in `run` and as the first run of `sweep`."""
    case.mkdir()
    copy_folder(forged, case / "run")
    shutil.copytree(sweep, case / "sweep")
    trial = find_trial(case)
    trial.unlink()
    for path in forged.iterdir():
        copy_thing(path, trial.with_name(trial.name + path.name.removeprefix(NAME)))


def check_commands(whole: Path, base: Path) -> None:
    """Fail where a command does not do its work on a run file that is whole."""
    (base / "whole").mkdir()
    shutil.copyfile(whole, base / "whole" / NAME)
    for command in COMMANDS:
        make_case(base / "case", base / "whole", base / "swept")
        ending = run_command(command, base / "case" / "run", base / "canary")
        ended = ("is finished", "before its hours were over")
        finished = command[0] == "resume" and any(words in ending.text for words in ended)
        assert ending.code == 0 or finished, f"{' '.join(command)}: {ending.text}"
        shutil.rmtree(base / "case")


def main(files: int = 200, first: int = 0, part: int = 1) -> int:
    """Forge files, put each through every command, print the faults; return how many there were.

    Of a `part` each file goes through every so many-th command alone, the next through others.
    """
    counts: Counter[str] = Counter()
    faults = 0
    with tempfile.TemporaryDirectory() as made:
        base = Path(made)
        canary = base / "canary"
        make_canary(canary)
        (base / "sources").mkdir()
        sources = make_sources(base / "sources")
        forger = Forger(sources, canary)
        (base / "swept").mkdir()
        make_sweep(base / "swept")
        check_commands(sources[0], base)
        watched = list_state(canary)
        for number in range(first, first + files):
            forged = base / "forged"
            forged.mkdir()
            what = forger.forge(number, forged)
            for command in COMMANDS[number % part :: part]:
                case = base / "case"
                make_case(case, forged, base / "swept")
                before = list_state(case)
                ending = run_command(command, case / "run", canary)
                found = list(find_faults(ending, command, before, case))
                if list_state(canary) != watched:
                    found.append("the canary was imported or changed")
                counts[f"exit {ending.code}"] += 1
                faults += bool(found)
                if found:
                    print(
                        f"{number}: {what}: {' '.join(command[:1])}: {'; '.join(found)}: "
                        f"{ending.text.strip()[-300:]} {read_crash(case)}",
                        flush=True,
                    )
                shutil.rmtree(case)
            shutil.rmtree(forged)
            print(f"{number + 1 - first} of {files}", file=sys.stderr, end="\r")
    told = ", ".join(f"{name}: {count}" for name, count in sorted(counts.items()))
    print(f"{files} files, {sum(counts.values())} commands, {faults} with faults ({told})")
    return faults


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--part", type=int, default=1)
    sys.exit(min(1, main(**vars(parser.parse_args()))))
