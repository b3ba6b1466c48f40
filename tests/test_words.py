"""Names keep to docs/glossary.md: one class a name, functions are verbs, no word that is out."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
GLOSSARY = ROOT / "docs" / "glossary.md"
IRREGULAR = frozenset(
    "told shown held gathered known found kept seen heard said done made given taken begun met"  # noqa: SIM905
    " built written drawn left paid spent sent thought gone sworn chosen understood bought caught"
    " fought lent lost meant sold stood won worn woken fed felt led laid lain risen sat"
    " slept spoken stolen struck swum taught torn thrown".split()
)
VERBS = frozenset({"seed", "need", "feed", "speed", "embed", "proceed", "exceed", "shared"})


class Named(NamedTuple):
    """A definition in the package or in a policy."""

    file: str
    kind: str
    name: str


@cache
def definitions() -> tuple[Named, ...]:
    return tuple(find_definitions())


def find_definitions() -> Iterator[Named]:
    for top in ("genagents_env", "policies"):
        for path in sorted((ROOT / top).rglob("*.py")):
            file = str(path.relative_to(ROOT))
            if file.startswith("genagents_env/policies/"):
                continue  # a link to the other top
            yield Named(file, "module", path.stem)
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.ClassDef):
                    yield Named(file, "class", node.name)
                elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    yield Named(file, "noun" if is_noun(node) else "function", node.name)


def is_noun(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a decorator makes a value of the function: a property, or a measure by its name."""
    decorators = [d.func if isinstance(d, ast.Call) else d for d in node.decorator_list]
    names = {d.id for d in decorators if isinstance(d, ast.Name)}
    return bool({"property", "cached_property", "measure"} & names)


def words_of(name: str) -> list[str]:
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", name)]


def is_participle(name: str) -> bool:
    first = name.strip("_").split("_")[0]
    return first in IRREGULAR or (first.endswith("ed") and len(first) > 4 and first not in VERBS)


def read_names_to_avoid() -> set[tuple[str, str]]:
    """Return the kinds and names in the last column of the glossary's tables."""
    rows = [line for line in GLOSSARY.read_text("utf-8").splitlines() if line.startswith("| ")]
    avoided: set[tuple[str, str]] = set()
    for name in re.findall(r"`([^`]+)`", " ".join(row.rsplit("|", 2)[1] for row in rows)):
        if name.endswith("()"):
            avoided.add(("function", name[:-2]))
        elif name.endswith(".py"):
            avoided.add(("module", name[:-3]))
        else:
            avoided.add(("class", name))
    return avoided


def read_words_of_no_identifier() -> set[str]:
    part = GLOSSARY.read_text("utf-8").split("## Words of no identifier\n")[1].split("\n## ")[0]
    return set(re.findall(r"`(\w+)`", part))


def test_no_name_is_one_that_the_glossary_rules_out() -> None:
    avoided, words = read_names_to_avoid(), read_words_of_no_identifier()
    assert len(avoided) > 60
    assert len(words) > 15
    assert [
        one
        for one in definitions()
        if (one.kind, one.name) in avoided or words & {*words_of(one.name)}
    ] == []


def test_one_class_name_is_one_class() -> None:
    where = defaultdict(list)
    for one in definitions():
        if one.kind == "class":
            where[one.name].append(one.file)
    assert {name: files for name, files in where.items() if len(files) > 1} == {}


def test_functions_are_verbs() -> None:
    nouns = [one for one in definitions() if one.kind == "function" and is_participle(one.name)]
    assert nouns == []
