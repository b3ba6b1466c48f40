"""Runs the example of each training framework in an environment of its own; writes the matrix.

    python -m benchmarks.frameworks --envs /tmp/frameworks
    python -m benchmarks.frameworks torchrl rllib --envs /tmp/frameworks --out ""

Each framework gets a virtual environment under `--envs` with this package and what the framework
pins, and trains there on each task, by the very file that docs/frameworks.md shows. What was
installed and what was printed go into the table between the markers of `--out`; frameworks that
were not run keep their row.
"""

import argparse
import json
import os
import subprocess
import sys
import time
import tomllib
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples" / "frameworks"
DOC = ROOT / "docs" / "frameworks.md"
TASKS = ("errand", "meet")
BEGIN, END = "<!-- begin: matrix -->\n", "<!-- end: matrix -->\n"
SHOWN = ("gymnasium", "pettingzoo", "numpy", "torch")  # what frameworks pin


@dataclass(frozen=True)
class Framework:
    """One framework, as `examples/frameworks/frameworks.toml` tells of it.

    Attributes:
        key: its name on the command line.
        name: its name in the table.
        package: the distribution whose version is shown.
        install: what is installed beside this package.
        example: the file that is run, from the repository.
        arguments: its arguments; `{task}` is the task's name.
    """

    key: str
    name: str
    package: str
    install: tuple[str, ...]
    example: str
    arguments: tuple[str, ...]


def list_frameworks() -> list[Framework]:
    """Return all frameworks that have an example."""
    told = tomllib.loads((EXAMPLES / "frameworks.toml").read_text(encoding="utf-8"))
    return [
        Framework(
            key,
            one["name"],
            one["package"],
            tuple(one["install"]),
            one["example"],
            tuple(one["arguments"]),
        )
        for key, one in told.items()
    ]


def make_environment(framework: Framework, folder: Path) -> Path:
    """Return the Python of the framework's environment; made where it is missing."""
    python = folder / framework.key / "bin" / "python"
    if not python.exists():
        venv.create(folder / framework.key, with_pip=True)
    wanted = [*framework.install, "-e", str(ROOT)]
    subprocess.run([python, "-m", "pip", "install", "-q", *wanted], check=True)  # noqa: S603
    return python


def list_versions(python: Path, names: Sequence[str]) -> dict[str, str]:
    """Return the versions of these distributions in an environment; "" where one is not there."""
    shown = subprocess.run(  # noqa: S603
        [python, "-m", "pip", "list", "--format", "json"],
        check=True,
        capture_output=True,
        text=True,
    )
    found = {one["name"].replace("_", "-"): one["version"] for one in json.loads(shown.stdout)}
    return {name: found.get(name, "") for name in names}


def run_example(framework: Framework, python: Path, task: str) -> str:
    """Return the last line that the example prints.

    Raises:
        SystemExit: it failed; what it wrote stands before.
    """
    arguments = [argument.replace("{task}", task) for argument in framework.arguments]
    threads = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    datasets = {"MINARI_DATASETS_PATH": str(python.parents[1] / "datasets")}
    done = subprocess.run(  # noqa: S603
        [python, ROOT / framework.example, *arguments],
        capture_output=True,
        text=True,
        cwd=python.parents[1],
        env={**os.environ, **threads, **datasets},
    )
    if done.returncode:
        sys.exit(f"{done.stdout}{done.stderr}\n{framework.name} failed on {task}")
    return done.stdout.strip().splitlines()[-1]


def make_row(framework: Framework, folder: Path, tasks: Sequence[str]) -> str:
    """Return the framework's row of the table, after running its example on each task."""
    python = make_environment(framework, folder)
    lines = []
    for task in tasks:
        begun = time.monotonic()
        lines.append(run_example(framework, python, task).partition(": ")[2])
        print(f"{framework.name}, {task}: {lines[-1]} ({time.monotonic() - begun:.0f} s)")
    versions = list_versions(python, (framework.package, *SHOWN))
    package = f"{framework.package} {versions[framework.package]}"
    cells = [framework.name, package, *(versions[name] or "-" for name in SHOWN), *lines]
    return f"| {' | '.join(cells)} |"


def write_table(path: Path, rows: dict[str, str]) -> None:
    """Put rows, by framework, in the place of the old ones between the page's markers."""
    before, _, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    old, _, after = rest.partition(END)
    kept = {line.split(" | ")[0].removeprefix("| "): line for line in old.splitlines()[2:]}
    kept.update(rows)
    heads = ["framework", "version", *SHOWN, *(f"`{task}`" for task in TASKS)]
    head = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    names = [one.name for one in list_frameworks() if one.name in kept]
    table = "\n".join([*head, *(kept[name] for name in names)])
    path.write_text(f"{before}{BEGIN}{table}\n{END}{after}", encoding="utf-8")


def main() -> None:
    frameworks = {one.key: one for one in list_frameworks()}
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("frameworks", nargs="*", help=f"of {', '.join(frameworks)}; all of them")
    parser.add_argument("--envs", type=Path, required=True, help="where environments are kept")
    parser.add_argument("--out", default=str(DOC), help="a page with the markers; '' writes none")
    parser.add_argument("--install-only", action="store_true")
    options = parser.parse_args()
    rows = {}
    for key in options.frameworks or frameworks:
        if options.install_only:
            make_environment(frameworks[key], options.envs)
        else:
            rows[frameworks[key].name] = make_row(frameworks[key], options.envs, TASKS)
            if options.out:
                write_table(Path(options.out), rows)


if __name__ == "__main__":
    main()
