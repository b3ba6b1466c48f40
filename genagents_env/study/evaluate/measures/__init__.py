"""Measures: a file here for each subject, or a user's `path/to/file.py:NAME`; found by name."""

import hashlib
import importlib
import pkgutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from types import ModuleType

from genagents_env.errors import ConfigError
from genagents_env.study.evaluate.measure import MEASURE_COLUMNS, NAME, Measure, split_key
from genagents_env.text import clean

_MESSAGE = 300  # characters of what a file raised
_MODULE = "genagents_measures_{}"
MEASURES = "3"  # raised where a shipped measure gives another number on the same record

DEFAULT: tuple[str, ...] = (
    *("verified", "heard", "density", "acquainted", "came", "hallucinated"),
    *("success", "received", "stored", "retrieved", "changed", "conversation_seconds"),
    *("conversations", "utterances", "words", "turn_balance", "partners", "reciprocity"),
    *("distinct_2", "lexical_diversity", "self_repetition", "echo"),
    *("adherence", "place_entropy", "together", "unusual_places", "declined", "formality"),
    *("broken_norms", "calls_per_hour", "tokens_per_hour", "dollars_per_human_hour"),
    *("fallbacks", "policy_errors", "wall_seconds"),
)
"""What a sweep measures that names nothing."""


def list_measures() -> list[Measure]:
    """Return the shipped measures by name."""
    return [one for _, one in sorted(_load_shipped().items())]


def load_measure(name: str, base: Path | None = None) -> Measure:
    """Return a measure.

    Args:
        name: a shipped name; `path/to/file.py:NAME`, where NAME is a `Measure` or a function that
            takes a `RunData`; either with `.key` behind it for one of its numbers alone.
        base: the folder to which a relative path belongs; None is the current one.

    Raises:
        ConfigError: there is none of this name, or the file does not load.
    """
    if is_from_file(name):
        return _load_from_file(name, base)
    stem, _, key = name.partition(".")
    shipped = _load_shipped()
    if stem not in shipped:
        close = get_close_matches(stem, list(shipped), n=1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise ConfigError(
            f"no measure {clean(name, 80)!r}; {hint}`genagents list measures` lists those there "
            "are, or write path/to/file.py:NAME"
        )
    return replace(shipped[stem], key=key)


def is_from_file(name: str) -> bool:
    """Return whether the name is that of a function in a file: code, which is run to take it."""
    return ".py:" in name


def find_version(measure: Measure) -> str:
    """Return by what a value that was taken before is known to be the same: package, or code."""
    module = measure.of.__module__
    own = _MODULE.format("")
    return module.removeprefix(own) if module.startswith(own) else MEASURES


def find_measures(
    names: Sequence[str], base: Path | None = None
) -> tuple[tuple[Measure, ...], tuple[str, ...]]:
    """Return the measures of these names, and a message for each name that gives none.

    Args:
        names: as for `load_measure`; none is `DEFAULT`. One that is named twice is found once, and
            of two that have one name, from two files, the first.
        base: see `load_measure`.
    """
    found: dict[str, tuple[str, Measure]] = {}
    faults: list[str] = []
    for name in dict.fromkeys(names or DEFAULT):
        try:
            one = load_measure(name, base)
        except ConfigError as error:
            faults.append(str(error))
            continue
        label = one.label
        if label in found:
            told = clean(name, 200)
            faults.append(f"measure {told!r}: {found[label][0]!r} is named {label!r} already")
        else:
            found[label] = (name, one)
    return tuple(one for _, one in found.values()), tuple(faults)


def format_measure_table() -> str:
    """Return the table: a row for each shipped measure, those of the default set marked with *."""
    rows = [list(MEASURE_COLUMNS), ["---"] * len(MEASURE_COLUMNS)]
    for one in list_measures():
        name = f"`{one.name}`{' *' if one.name in DEFAULT else ''}"
        rows.append([cell.replace("|", "/") for cell in {**one.as_json(), "name": name}.values()])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


@cache
def _load_shipped() -> Mapping[str, Measure]:
    names = (f"{__name__}.{module.name}" for module in pkgutil.iter_modules(__path__))
    found = (one for name in names for one in _list_measures_of(importlib.import_module(name)))
    return {one.name: one for one in found}


def _list_measures_of(module: ModuleType) -> list[Measure]:
    return [one for one in vars(module).values() if isinstance(one, Measure)]


def _is_own(thing: object, module: ModuleType) -> bool:
    mine = getattr(thing, "__module__", None) == module.__name__ and not isinstance(thing, type)
    return isinstance(thing, Measure) or (mine and callable(thing))


def _load_from_file(name: str, base: Path | None) -> Measure:
    label, key = split_key(name)
    where, _, what = label.rpartition(":")
    path = (base or Path()) / where
    if not path.is_file():
        raise ConfigError(f"measure {clean(name, 200)!r}: there is no file {path}")
    module = _load_file(path)
    thing = getattr(module, what, None)
    if isinstance(thing, Measure):
        return replace(thing, key=key)
    if not callable(thing):
        own = (name for name, one in vars(module).items() if _is_own(one, module))
        known = ", ".join(own) or "no measure"
        raise ConfigError(f"measure {clean(name, 200)!r}: {path} has no {what!r}; it has {known}")
    told = " ".join((thing.__doc__ or "").split())
    short = what if NAME.fullmatch(what) else what.lower().strip("_")[:40] or "measure"
    title = told.split(".")[0] or what
    return Measure(short, title, "", told or what, path.name, thing, key)


def _load_file(path: Path) -> ModuleType:
    """Return the module in a file, loaded once."""
    source = path.read_bytes()
    mark = hashlib.sha256(str(path.resolve()).encode() + source).hexdigest()[:16]
    name = _MODULE.format(mark)
    if name in sys.modules:
        return sys.modules[name]
    module = sys.modules[name] = ModuleType(name)
    try:
        exec(compile(source, path, "exec"), vars(module))  # noqa: S102  # a loader may cache
    except Exception as error:
        del sys.modules[name]
        told = clean(f"{type(error).__name__}: {error}", _MESSAGE)
        raise ConfigError(f"{path} does not load: {told}") from error
    return module
