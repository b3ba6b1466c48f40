"""Find a policy by name, plug-in or path, and make it: `genagents_env.load_policy`.

`policy_trust` decides whether a path in a stranger's run file may be imported.
"""

import importlib.util
import inspect
import pkgutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from hashlib import sha256
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path, PurePath
from types import ModuleType

from genagents_env.errors import ConfigError, GenagentsError, PolicyError
from genagents_env.llm.redact import clean_from_environment
from genagents_env.policy import Policy

ENTRY_POINTS = "genagents_env.policies"
SOLUTION = "solution"  # only for episodes of tasks, so in no list of policies
SHOWN = 12  # digits of a hash in a message

_SHIPPED = "genagents_env.policies"
_SOLUTION_MODULE = "genagents_env.train.tasks.solution"
_FILES = {"random": "uniform"}  # a file random.py would shadow the standard library
_LARGEST = 10_000_000  # bytes of a policy's file
_MESSAGE = 300  # characters of what a policy raised
_WORDS = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}


@dataclass(frozen=True)
class PolicySource:
    """A policy's file, read once, so that the code that is compared is the code that is run.

    Attributes:
        name: `path/to/file.py:Class`, as given.
        path: of the file.
        code: its bytes, without the files that it imports.
    """

    name: str
    path: Path
    code: bytes

    @cached_property
    def sha256(self) -> str:
        """The checksum of the file, as 64 hexadecimal digits."""
        return sha256(self.code).hexdigest()

    @property
    def class_name(self) -> str:
        """The part after the colon, or empty."""
        return self.name.rpartition(":")[2] if ".py:" in self.name else ""


def load_policy(name: str, /, **config: object) -> Policy:
    """Return a new policy.

    Args:
        name: a shipped name (`scripted`), a plug-in's entry point, or `path/to/file.py:Class`;
            `solution` is the task's own solution, for episodes of a task.
        config: the policy's own keyword arguments.

    Raises:
        PolicyError: there is no such policy, or it does not accept `config`.
        ConfigError: a value of `config` is not allowed.
    """
    return make_policy(find_policy_class(name), name, config)


def list_policies() -> list[str]:
    """Return the names `load_policy` knows: the shipped ones, then plug-ins, each sorted."""
    shipped = _list_shipped()
    plugins = {point.name for point in entry_points(group=ENTRY_POINTS)}
    return [*shipped, *sorted(plugins.difference(shipped))]


def is_shipped(name: str) -> bool:
    """Return True if a policy of this name comes with the package."""
    return name == SOLUTION or name in _list_shipped()


def find_plugin(name: str) -> EntryPoint | None:
    """Return the installed plug-in of this name, or None, without importing it."""
    return next((point for point in entry_points(group=ENTRY_POINTS) if point.name == name), None)


def _load_plugin(plugin: EntryPoint) -> object:
    try:
        return plugin.load()
    except Exception as error:  # whatever its module raises
        owner = "" if plugin.dist is None else f" of the package {plugin.dist.name}"
        raise PolicyError(
            f"policy {plugin.name!r}{owner} cannot be loaded from {plugin.value}: "
            f"{describe_error(error)}"
        ) from error


def find_policy_file(policy: str) -> Path | None:
    """Return the file of a policy given as `path/to/file.py:Class`; None for a name."""
    if ".py" not in policy and "/" not in policy:
        return None
    return Path(policy.rpartition(":")[0] if ".py:" in policy else policy)


def shorten_policy(policy: str) -> str:
    """Return a policy's name without the folders of its file."""
    return policy if find_policy_file(policy) is None else PurePath(policy).name


def check_for_run(name: str) -> None:
    """Raise PolicyError for a policy that needs a task, which a run does not have."""
    if name == SOLUTION:
        raise PolicyError(
            "policy 'solution' plays the episodes of a task alone, in Python: "
            'rollouts(lambda: town_v0.rl_env("meet"), "solution"); a run has no task: '
            f"{', '.join(list_policies())} play one"
        )


def find_policy_class(name: str) -> type[Policy]:
    """Return the class of a policy; a plug-in cannot take a shipped name.

    Raises:
        PolicyError: there is none.
    """
    if find_policy_file(name) is not None:
        return load_class(read_source(name))
    # Shipped ones first: listing entry points reads every installed package.
    if is_shipped(name):
        module = _SOLUTION_MODULE if name == SOLUTION else f"{_SHIPPED}.{_FILES.get(name, name)}"
        return _find_only_policy(importlib.import_module(module))
    plugin = find_plugin(name)
    if plugin is not None:
        return _check_class(_load_plugin(plugin), name)
    known = list_policies()
    close = get_close_matches(name, known, 1)
    if Path(f"{name}.py").is_file():
        close = [f"{name}.py"]
    hint = f"did you mean {close[0]!r}? " if close else ""
    raise PolicyError(
        f"no policy {name!r}; {hint}known: {', '.join(known)}, or path/to/file.py:Class"
    )


def make_policy(policy: type[Policy], name: str, config: Mapping[str, object]) -> Policy:
    """Return a new policy of a class.

    Raises:
        PolicyError: it does not accept `config`, or its `__init__` fails.
        ConfigError: a value of `config` is not allowed.
    """
    _check_options(policy, name, config)
    try:
        return policy(**config)
    except GenagentsError:
        raise
    # A policy is a user's code: whatever it raises, SystemExit included, is its own fault.
    except (Exception, SystemExit) as error:
        raise PolicyError(
            f"policy {name!r} cannot be made ({describe_error(error)}); correct its __init__"
        ) from error


def describe_error(error: BaseException) -> str:
    """Describe the error of a policy, without keys."""
    return clean_from_environment(f"{type(error).__name__}: {error}", _MESSAGE)


def read_source(name: str) -> PolicySource:
    """Read the file of a policy given by path; nothing is imported.

    Raises:
        PolicyError: there is no such file, or it is too large.
    """
    path = find_policy_file(name) or Path(name)
    try:
        if not path.is_file():
            raise PolicyError(f"no policy file {str(path)!r}; expected path/to/file.py:Class")
        with path.open("rb") as file:
            code = file.read(_LARGEST + 1)
    except (OSError, ValueError) as error:
        raise PolicyError(f"policy file {str(path)!r} cannot be read: {error}") from None
    if len(code) > _LARGEST:
        raise PolicyError(f"{str(path)!r} is not a policy: it has more than {_LARGEST:,} bytes")
    return PolicySource(name, path, code)


def load_class(source: PolicySource) -> type[Policy]:
    """Import a file that has been read, and return its policy's class.

    Raises:
        PolicyError: it does not load, or has no such policy.
    """
    module = _import_source(source)
    if not source.class_name:
        return _find_only_policy(module)
    policy = getattr(module, source.class_name, None)
    if policy is None:
        own = [value.__name__ for value in _list_named_policies(module)]
        hint = f"; its policies: {', '.join(own)}" if own else ""
        raise PolicyError(f"{source.path.name} has no {source.class_name!r}{hint}")
    return _check_class(policy, source.name)


def _import_source(source: PolicySource) -> ModuleType:
    """Run the code of a policy's file in a new module.

    It is compiled from the bytes that were read: neither a cached `.pyc` nor a change of the file
    can put other code in its place. A module that fails to load is removed. It may import modules
    that lie beside it; installed ones of the same name come first.
    """
    folder = str(source.path.absolute().parent)
    if folder not in sys.path:
        sys.path.append(folder)
    # The name differs where path or content do.
    where = str(source.path.absolute()).encode()
    mark = sha256(where + b"\0" + source.code).hexdigest()[:SHOWN]
    name = f"genagents_user_policy_{source.path.stem}_{mark}"
    spec = importlib.util.spec_from_file_location(name, source.path)
    if spec is None:
        raise PolicyError(f"{str(source.path)!r} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    former = sys.modules.get(name)
    sys.modules[name] = module
    try:
        exec(compile(source.code, str(source.path), "exec"), vars(module))  # noqa: S102
    except (Exception, SystemExit) as error:  # as above
        del sys.modules[name]
        if former is not None:
            sys.modules[name] = former
        raise PolicyError(
            f"policy file {str(source.path)!r} does not load: {describe_error(error)}"
        ) from error
    return module


def _list_shipped() -> list[str]:
    names = {file: name for name, file in _FILES.items()}
    package = importlib.import_module(_SHIPPED)
    files = [m.name for m in pkgutil.iter_modules(package.__path__) if m.name[0] != "_"]
    return sorted(names.get(file, file) for file in files)


def _find_only_policy(module: ModuleType) -> type[Policy]:
    own = _list_named_policies(module)
    if len(own) != 1:
        file = Path(str(module.__file__)).name
        names = ", ".join(one.__name__ for one in own)
        told = f"has {names}; say which" if own else "has no policy with a `name`; write one"
        raise PolicyError(f"{file} {told}, as {file}:CLASS")
    return own[0]


def _list_named_policies(module: ModuleType) -> list[type[Policy]]:
    return [
        value
        for value in vars(module).values()
        if inspect.isclass(value) and issubclass(value, Policy) and "name" in vars(value)
        if value.__module__.startswith(module.__name__)
    ]


def _check_class(value: object, name: str) -> type[Policy]:
    if not (inspect.isclass(value) and issubclass(value, Policy)):
        raise PolicyError(f"{name!r} is not a subclass of genagents_env.policy.Policy")
    if not getattr(value, "name", ""):
        label = value.__name__
        raise PolicyError(f'{name!r} has no name; write into {label}: name = "{label.lower()}"')
    return value


def _check_options(policy: type[Policy], name: str, config: Mapping[str, object]) -> None:
    """Raise if the constructor of a policy does not take `config`, or other types."""
    signature = inspect.signature(policy)
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
        parameter = signature.parameters.get(key)
        wanted = None if parameter is None else _find_plain_type(parameter.annotation)
        if wanted is not None and not _is_of_type(value, wanted):
            raise ConfigError(
                f"policy {name!r}: {key}: {value!r} is not allowed; {_WORDS[wanted]} is"
            )


def _find_plain_type(annotation: object) -> type | None:
    return next((plain for plain in _WORDS if annotation in (plain, plain.__name__)), None)


def _is_of_type(value: object, wanted: type) -> bool:
    if isinstance(value, bool):
        return wanted is bool
    return isinstance(value, (int, float) if wanted is float else wanted)
