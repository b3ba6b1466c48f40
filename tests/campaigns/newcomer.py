"""Pastes every command of README and tutorial, in order, into one shell of a fresh clone.

    python -m tests.campaigns.newcomer --work /tmp/newcomer [--skip "pip install" ...]

Each command is typed as it stands. What a reader ends by Ctrl-C gets one after some seconds; the
address of one's own model server is that of a scripted one on loopback. The files of the tutorial
are written where it shows them. Prints each command with its exit code and its seconds; exits with
1 where one fails.
"""

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.slow_server import serving

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("README.md", "docs/first_scenario.md")
_BLOCK = re.compile(r"(?:<!-- (?:file: (\S+)|ci: \w+) -->\n)?```(\w*)\n(.*?)```", re.S)
_COMMENT = re.compile(r"\s+#\s.*$")
# What stays until Ctrl-C, and the seconds until then; a run with a page is over in these.
_STAYS = {re.compile(r"^genagents (demo|view)\b"): 20, re.compile(r"--live\b"): 480}
_CLONED = "git clone "
_SERVER = "http://localhost:8000/v1"


@dataclass(frozen=True)
class Step:
    """A command to be typed, or a file to be written."""

    text: str
    file: str = ""


def list_steps(page: str) -> Iterator[Step]:
    """Yield what `page` tells a reader to type and to write, in order."""
    for match in _BLOCK.finditer((ROOT / page).read_text("utf-8")):
        file, language, text = match.groups()
        if file:
            yield Step(text, file)
        elif language == "bash":
            yield from (Step(_COMMENT.sub("", line)) for line in text.splitlines() if line.strip())


def paste(steps: Sequence[Step], work: Path, skipped: Sequence[str], address: str) -> Path:
    """Type `steps` into one shell that begins in `work`; return the file of what came of each."""
    results = work / "results.tsv"
    lines = [
        f'took() {{ printf \'%s\\t%s\\t%s\\n\' "$1" $((SECONDS - BEGUN)) "$2" >> {results}; }}'
    ]
    for number, step in enumerate(steps):
        if step.file:
            source = work / f"file_{number}"
            source.write_text(step.text, "utf-8")
            lines.append(f"cp {source} {step.file}")
        elif not any(words in step.text for words in skipped):
            shown = work / f"command_{number}"
            shown.write_text(step.text, "utf-8")
            typed = step.text.replace(_SERVER, address)
            if typed.startswith(_CLONED):
                typed = f"git clone -q {ROOT} genagents_env && cd genagents_env"
            for shape, seconds in _STAYS.items():
                if shape.search(typed):
                    typed = f"timeout --foreground --preserve-status -s INT {seconds} {typed}"
            lines += [f"echo; echo '+' \"$(cat {shown})\"", "BEGUN=$SECONDS", typed]
            lines.append(f'took $? "$(cat {shown})"')
    script = work / "pasted.sh"
    script.write_text("\n".join(lines) + "\n", "utf-8")
    keep = {key: value for key, value in os.environ.items() if not key.startswith("VIRTUAL_ENV")}
    command = ["/bin/bash", str(script)]
    subprocess.run(command, cwd=work, env=keep, stdin=subprocess.DEVNULL, check=False)
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="a folder that is made")
    parser.add_argument("--skip", nargs="*", default=[], help="commands with these words")
    options = parser.parse_args()
    options.work.mkdir(parents=True)
    steps = [step for page in PAGES for step in list_steps(page)]
    with serving(0.0) as address:
        results = paste(steps, options.work.resolve(), options.skip, address)
    told = [line.split("\t") for line in results.read_text("utf-8").splitlines()]
    for code, seconds, command in told:
        print(f"{code:>4}  {seconds:>7} s  {command}")
    sys.exit(any(code != "0" for code, _, _ in told))


if __name__ == "__main__":
    main()
