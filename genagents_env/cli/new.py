"""`genagents new` and `genagents new-policy`: a scenario, a policy to begin with."""

import keyword
import os
import re
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from genagents_env.cli.screen import print_steps, say
from genagents_env.errors import ConfigError, ScenarioError
from genagents_env.files import guard_files
from genagents_env.run.policies import list_policies
from genagents_env.scenario import list_scenario_names

_TEMPLATES = Path(__file__).parent / "templates"
_TOWN, _POLICY, _CLASS = "my_town", "my_policy", "MyPolicy"  # what stands for the name in them
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
app = typer.Typer()


@app.command()
def new(
    place: Annotated[
        Path,
        typer.Argument(
            metavar="NAME",
            help="Name or path of the new folder; its last part is the scenario's name.",
        ),
    ],
) -> None:
    """Make a scenario to edit: a small town that is valid and runs at once.

    Example: genagents new my_town && genagents run ./my_town
    """
    name = check_name(place, "scenario", list_scenario_names())
    source = _TEMPLATES / _TOWN
    place_folder(
        place,
        {
            str(path.relative_to(source)): path.read_text("utf-8").replace(_TOWN, name)
            for path in sorted(source.rglob("*"))
            if path.is_file()
        },
    )
    say(f"{place}: a scenario with three people, a map, a fact, an event, questions and a check")
    typed = quote(str(place))
    steps = (
        ("edit it", f"{place}/scenario.toml, {place}/people/*.toml, {place}/map.txt"),
        ("look for faults", f"genagents validate {typed}"),
        ("look at the map", f"genagents map draw {typed} --out {name}.png"),
        ("run it", f"genagents run {typed} --out {name}.sqlite"),
        ("see what happened", f"genagents show {name}.sqlite"),
        ("see what came of it", f"genagents report {name}.sqlite"),
        ("see all keys there are", "genagents list keys, genagents list keys people.routine"),
    )
    print_steps(steps, 23)


@app.command()
def new_policy(
    place: Annotated[
        Path,
        typer.Argument(
            metavar="NAME", help="Name or path of the new file; its last part is the policy's name."
        ),
    ],
) -> None:
    """Make a policy to edit: one file with a class and a test of its contract.

    Example: genagents new-policy gossip && python gossip.py
    """
    bare = place.with_suffix("") if place.suffix == ".py" else place
    name = check_name(bare, "policy", list_policies())
    path = bare.with_name(f"{name}.py")
    label = "".join(part.capitalize() for part in name.split("_")) or name
    text = (_TEMPLATES / f"{_POLICY}.py").read_text("utf-8")
    if name in sys.stdlib_module_names or keyword.iskeyword(label):
        raise ConfigError(f"{name!r} is a word of Python's own; take another name")
    if label in re.findall(r"\w+", text.replace(_CLASS, "")):
        raise ConfigError(f"{name!r}: its class {label} would hide what it uses; another name")
    _place_file(path, text.replace(_POLICY, name).replace(_CLASS, label))
    say(f"{path}: a policy that can be run, and the test of its contract")
    steps = (
        ("edit it", f"{path}, the method _act above all"),
        ("test it", f"python {quote(str(path))}, or pytest {quote(str(path))}"),
        ("let it decide", f"genagents run tiny --policy {quote(f'{path}:{label}')}"),
        ("what is what", "docs/policies.md"),
    )
    print_steps(steps, 23)


def check_name(place: Path, what: str, known: list[str]) -> str:
    """Return the name that a path ends in."""
    name = place.name
    if not _NAME.fullmatch(name):
        allowed = "lower-case letters, digits and _ are allowed, a letter first, at most 40"
        raise ConfigError(f"{name!r} is no name of a {what}; {allowed}")
    if name in known:
        raise ConfigError(f"{name!r} is a {what} that comes with the package; take another name")
    return name


def place_folder(
    folder: Path,
    files: Mapping[str, str | bytes],
    find_faults: Callable[[Path], list[str]] | None = None,
) -> None:
    """Write all files into a new folder, or nothing.

    Args:
        folder: where nothing is yet.
        files: their texts, or bytes, by their names in the folder.
        find_faults: what is wrong with a folder; where anything is, it is not made.

    Raises:
        ConfigError: `folder` is there already, or cannot be written.
        ScenarioError: all that `find_faults` returns.
    """
    with guard_files(folder):
        _check_free(folder)
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".new-", dir=folder.parent) as made:
            draft = Path(made) / folder.name
            for name, content in files.items():
                (draft / name).parent.mkdir(parents=True, exist_ok=True)
                data = content.encode() if isinstance(content, str) else content
                (draft / name).write_bytes(data)
            if find_faults is not None and (faults := find_faults(draft)):
                raise ScenarioError(faults)
            draft.rename(folder)


def _place_file(path: Path, text: str) -> None:
    with guard_files(path):
        _check_free(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)


def _check_free(path: Path) -> None:
    if os.path.lexists(path):
        raise ConfigError(f"{path} is there already, and nothing is replaced; take another name")
