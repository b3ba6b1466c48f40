"""Find a policy by name, path or plug-in, and read its options."""

import importlib
import inspect
import pkgutil
from collections.abc import Mapping
from difflib import get_close_matches
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from genagents_env.errors import ConfigError, GenagentsError, PolicyError
from genagents_env.llm.redact import clean_from_environment
from genagents_env.policy import Policy
from genagents_env.policy_source import (
    ENTRY_POINTS,
    PolicySource,
    find_plugin,
    find_policy_file,
    import_source,
    read_source,
)

Options = TypeVar("Options", bound=BaseModel)

_WORDS = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}
_TOLD = 300  # characters of what a policy raised
_FILES = {"random": "uniform"}  # a file random.py would shadow the standard library
SOLUTION = "solution"  # of the episodes of tasks alone: in no town, so in no list of policies
_SOLUTION_MODULE = "genagents_env.tasks.solution"


def read_options(model: type[Options], fields: Mapping[str, object], policy: str) -> Options:
    """Return a policy's options with these fields set.

    Args:
        model: what the options are.
        fields: by name, as they came from a caller or the command line.
        policy: the policy's name, for the error.

    Raises:
        ConfigError: an unknown option or a value that is not allowed.
    """
    try:
        return model(**fields)
    except ValidationError as fault:
        where = [".".join(map(str, error["loc"])) or "options" for error in fault.errors()]
        lines = [f"{at}: {error['msg']}" for at, error in zip(where, fault.errors(), strict=True)]
        known = ", ".join(model.model_fields)
        raise ConfigError(f"{policy}: {'; '.join(lines)}; options: {known}") from None


def list_policies() -> list[str]:
    """Return the names `load_policy` knows: the shipped ones, then plug-ins, each sorted."""
    plugins = {point.name for point in entry_points(group=ENTRY_POINTS)}
    return [*_list_shipped(), *sorted(plugins.difference(_list_shipped()))]


def _list_shipped() -> list[str]:
    package = importlib.import_module("genagents_env.policies")
    files = {stem: name for name, stem in _FILES.items()}
    stems = [m.name for m in pkgutil.iter_modules(package.__path__) if m.name[0] != "_"]
    return sorted(files.get(stem, stem) for stem in stems)


def load_policy(name: str, /, **config: object) -> Policy:
    """Return a new policy.

    Args:
        name: a shipped name (`scripted`), a plug-in's entry point, or `path/to/file.py:Class`;
            `solution` plays the episodes of a task by the task's own solution.
        config: the policy's own keyword arguments.

    Raises:
        PolicyError: there is no such policy, or it does not accept `config`.
        ConfigError: a value of `config` is not allowed.
    """
    return make_policy(find_policy_class(name), name, config)


def make_policy(found: type[Policy], name: str, config: Mapping[str, object]) -> Policy:
    """Return a new policy of a class.

    Raises:
        PolicyError: it does not accept `config`, or its `__init__` fails.
        ConfigError: a value of `config` is not allowed.
    """
    _check_options(found, name, config)
    try:
        return found(**config)
    except GenagentsError:
        raise
    # A policy is a user's code: whatever it raises, SystemExit included, is its own fault.
    except (Exception, SystemExit) as error:
        told = clean_from_environment(f"{type(error).__name__}: {error}", _TOLD)
        raise PolicyError(
            f"policy {name!r} cannot be made ({told}); correct its __init__"
        ) from error


def _check_options(found: type[Policy], name: str, config: Mapping[str, object]) -> None:
    """Raise where the constructor of a policy does not take `config`, or not of these types."""
    signature = inspect.signature(found)
    try:
        if "self" in config:
            raise TypeError("got an unexpected keyword argument 'self'")
        signature.bind(**config)
    except TypeError as error:
        open_ended = inspect.Parameter.VAR_KEYWORD
        known = [p.name for p in signature.parameters.values() if p.kind is not open_ended]
        raise PolicyError(
            f"policy {name!r}: {error}; options: {', '.join(known) or 'none'}"
        ) from None
    for key, value in config.items():
        wanted = _find_plain_type(signature, key)
        if wanted is not None and not _is_of_type(value, wanted):
            told = f"{key}: {value!r} is not allowed; {_WORDS[wanted]} is"
            raise ConfigError(f"policy {name!r}: {told}")


def _find_plain_type(signature: inspect.Signature, key: str) -> type | None:
    """Return the type that an option is annotated with, where it is a plain one."""
    if key not in signature.parameters:
        return None
    given = signature.parameters[key].annotation
    return next((plain for plain in _WORDS if given in (plain, plain.__name__)), None)


def _is_of_type(value: object, wanted: type) -> bool:
    if isinstance(value, bool):
        return wanted is bool
    return isinstance(value, (int, float) if wanted is float else wanted)


def find_policy_class(name: str) -> type[Policy]:
    """Return the class `load_policy` would build; a plug-in cannot take a shipped name."""
    if find_policy_file(name) is not None:
        return load_class(read_source(name))
    if name == SOLUTION:
        return _find_only_policy(importlib.import_module(_SOLUTION_MODULE))
    # Shipped ones first: looking for entry points reads every installed package.
    if is_shipped(name):
        module = importlib.import_module(f"genagents_env.policies.{_FILES.get(name, name)}")
        return _find_only_policy(module)
    point = find_plugin(name)
    if point is not None:
        return _check_class(point.load(), name)
    known = list_policies()
    close = get_close_matches(name, known, 1)
    if Path(f"{name}.py").is_file():
        close = [f"{name}.py"]
    hint = f"did you mean {close[0]!r}? " if close else ""
    raise PolicyError(
        f"no policy {name!r}; {hint}known: {', '.join(known)}, or path/to/file.py:Class"
    )


def load_class(source: PolicySource) -> type[Policy]:
    """Return the policy's class in a file that has been read, importing it.

    Raises:
        PolicyError: it does not load, or has no such policy.
    """
    module = import_source(source)
    if not source.class_name:
        return _find_only_policy(module)
    found = getattr(module, source.class_name, None)
    if found is None:
        own = [value.__name__ for value in _list_named_policies(module)]
        hint = f"; its policies: {', '.join(own)}" if own else ""
        raise PolicyError(f"{source.path.name} has no {source.class_name!r}{hint}")
    return _check_class(found, source.name)


def check_for_run(name: str) -> None:
    """Raise PolicyError where a run, which has no task, cannot be played by this policy."""
    if name == SOLUTION:
        raise PolicyError(
            "policy 'solution' plays the episodes of a task alone, in Python: "
            'rollouts(lambda: town_v0.rl_env("meet"), "solution"); a run has no task: '
            f"{', '.join(list_policies())} play one"
        )


def is_shipped(name: str) -> bool:
    """Return whether this is the name of a policy that comes with the package."""
    return name == SOLUTION or name in _list_shipped()


def _find_only_policy(module: ModuleType) -> type[Policy]:
    own = _list_named_policies(module)
    if len(own) != 1:
        raise PolicyError(f"{module.__name__} defines {len(own)} named policies, expected one")
    return own[0]


def _list_named_policies(module: ModuleType) -> list[type[Policy]]:
    return [
        value
        for value in vars(module).values()
        if inspect.isclass(value) and issubclass(value, Policy) and "name" in vars(value)
        if value.__module__.startswith(module.__name__)
    ]


def _check_class(found: object, name: str) -> type[Policy]:
    if not (inspect.isclass(found) and issubclass(found, Policy)):
        raise PolicyError(f"{name!r} is not a subclass of genagents_env.policy.Policy")
    return found
