"""What a run is, as one hash: two runs with the same identity are the same run.

It covers what decides the course of a run, and nothing of what it is called, judged by, measured
with or allowed to spend. A policy counts by what its code does: comments, spacing and docstrings do
not, the modules beside it that it imports do. Releases of this package that leave recorded runs
what they are keep every identity.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path

from genagents_env.files import read_file
from genagents_env.record.rows import JSON, encode
from genagents_env.run import PolicySpec
from genagents_env.run.policies import (
    find_plugin,
    find_policy_class,
    find_policy_file,
    is_shipped,
    read_source,
    shorten_policy,
)

BEHAVIOUR = 1  # raised by a release under which the same definition takes another course
_NOT_IN_SLUGS = re.compile(r"[^a-z0-9]+")
_SLUG_LIMIT = 60
_MOST_BYTES = 1_000_000_000  # of a file that an option names
_MOST_CODE = 10_000_000


def compute_identity(
    facts: Mapping[str, JSON], policies: Mapping[str, PolicySpec], behaviour: int = BEHAVIOUR
) -> str:
    """Return the SHA-256 of what defines the runs of a cell, as 64 hexadecimal digits.

    Args:
        facts: by name: the digest of the scenario, its hours as the environment understood them,
            models and interviews as asked for.
        policies: of each agent. One that is a file counts by its name and its code, so that a
            moved folder keeps its runs; so does a file that an option of a shipped policy names. A
            plug-in counts by the version of its package.
        behaviour: of this package.

    Raises:
        PolicyError: a policy's file cannot be read.
        FileError: a file that an option names cannot be read.
    """
    names = dict.fromkeys(spec.name for spec in policies.values())
    known = {name: _describe_policy(name) for name in names}
    told: dict[str, JSON] = {
        agent: {"policy": known[spec.name], "config": _describe_config(spec)}
        for agent, spec in policies.items()
    }
    return sha256(encode({**facts, "behaviour": behaviour, "policies": told}).encode()).hexdigest()


def make_slug(name: str) -> str:
    """Return `name` in small letters and digits, everything else one `-`; at most 60 characters."""
    return _NOT_IN_SLUGS.sub("-", name.lower())[:_SLUG_LIMIT].strip("-") or "run"


def digest_code(path: Path) -> str:
    """Return the SHA-256 of what a file and the modules beside it that it imports do.

    A file that is no Python counts by its bytes.
    """
    found: dict[str, str] = {}
    _collect_code(path, path.stem, found)
    return sha256(encode(dict(sorted(found.items()))).encode()).hexdigest()


def _collect_code(path: Path, name: str, found: dict[str, str]) -> None:
    code = read_file(path, _MOST_CODE)
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError):
        found[name] = sha256(code).hexdigest()
        return
    found[name] = ast.dump(_drop_docstrings(tree))
    for module in _list_imports(tree):
        for beside in (path.parent / f"{module}.py", path.parent / module / "__init__.py"):
            if beside.is_file() and module not in found:
                _collect_code(beside, module, found)


def _drop_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        if isinstance(node, kinds) and body and ast.get_docstring(node, clean=False) is not None:
            node.body = body[1:]
    return tree


def _list_imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (one.name.partition(".")[0] for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0] or node.names[0].name


def _describe_config(spec: PolicySpec) -> dict[str, JSON]:
    config = dict(spec.config)
    if config and is_shipped(spec.name):
        for option in find_policy_class(spec.name).file_options:
            if config.get(option):
                path = Path(str(config[option]))
                config[option] = [path.name, sha256(read_file(path, _MOST_BYTES)).hexdigest()]
    return config


def _describe_policy(name: str) -> JSON:
    if find_policy_file(name) is not None:
        return [shorten_policy(name), digest_code(read_source(name).path)]
    if is_shipped(name) or (plugin := find_plugin(name)) is None:
        return name
    package = plugin.dist
    return [name, "" if package is None else f"{package.name} {package.version}"]
