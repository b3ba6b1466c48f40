"""Policies given by path: what their file holds, and their code run from just that."""

import importlib.util
import sys
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path, PurePath
from types import ModuleType

from genagents_env.errors import PolicyError
from genagents_env.text import clean

ENTRY_POINTS = "genagents_env.policies"
SHOWN = 12  # digits of a hash in a message

_LARGEST = 10_000_000  # bytes of a file of code; a device or a huge file is none
_MESSAGE = 300
_MODULE = "genagents_user_policy_{stem}_{mark}"


@dataclass(frozen=True)
class PolicySource:
    """A policy's file as it was read once, so that what is compared is what is run.

    Attributes:
        name: `path/to/file.py:Class`, as it was given.
        path: of the file.
        code: its bytes. What it imports from other files is not in them.
    """

    name: str
    path: Path
    code: bytes

    @cached_property
    def sha256(self) -> str:
        """Of the file, as 64 hexadecimal digits."""
        return sha256(self.code).hexdigest()

    @property
    def class_name(self) -> str:
        """The part behind the colon; empty where there is none."""
        return self.name.rpartition(":")[2] if ".py:" in self.name else ""


def find_policy_file(policy: str) -> Path | None:
    """Return the file of a policy given as `path/to/file.py:Class`; None of one with a name."""
    if ".py" not in policy and "/" not in policy:
        return None
    return Path(policy.rpartition(":")[0] if ".py:" in policy else policy)


def shorten_policy(policy: str) -> str:
    """Return a policy's name without the folders of its file."""
    return policy if find_policy_file(policy) is None else PurePath(policy).name


def find_plugin(name: str) -> EntryPoint | None:
    """Return the installed plug-in of this name, or None; nothing is imported."""
    return next((one for one in entry_points(group=ENTRY_POINTS) if one.name == name), None)


def read_source(name: str) -> PolicySource:
    """Read the file of a policy given by path; nothing is imported.

    Raises:
        PolicyError: there is no such file, or it cannot be one of code.
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
        raise PolicyError(f"{str(path)!r} is no policy: it has more than {_LARGEST:,} bytes")
    return PolicySource(name, path, code)


def import_source(source: PolicySource) -> ModuleType:
    """Run the code of a policy's file in a module of its own, anew each time.

    Compiled from the bytes that were read: neither a cached `.pyc` beside the file nor a change
    of it in the meantime can put other code in its place.

    Raises:
        PolicyError: it is not Python, or raises; no half of a module stays behind.
    """
    module = _make_module(source)
    former = sys.modules.get(module.__name__)
    sys.modules[module.__name__] = module
    try:
        exec(compile(source.code, str(source.path), "exec"), vars(module))  # noqa: S102
    # A user's code: whatever it raises, SystemExit included, is a policy that cannot be loaded.
    except (Exception, SystemExit) as error:
        del sys.modules[module.__name__]
        if former is not None:
            sys.modules[module.__name__] = former
        why = clean(f"{type(error).__name__}: {error}", _MESSAGE)
        raise PolicyError(f"policy file {str(source.path)!r} does not load: {why}") from error
    return module


def _make_module(source: PolicySource) -> ModuleType:
    """Return an empty module, whose name differs where path or content do."""
    where = str(source.path.absolute()).encode()
    mark = sha256(where + b"\0" + source.code).hexdigest()[:SHOWN]
    name = _MODULE.format(stem=source.path.stem, mark=mark)
    spec = importlib.util.spec_from_file_location(name, source.path)
    if spec is None or spec.loader is None:
        raise PolicyError(f"{str(source.path)!r} is not a Python file")
    return importlib.util.module_from_spec(spec)
