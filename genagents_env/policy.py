"""The policy contract: who decides. And `load_policy`, which finds one by name, path or plug-in."""

import asyncio
import importlib
import importlib.util
import inspect
import pkgutil
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ValidationError

from genagents_env.actions import Action
from genagents_env.errors import ConfigError, PolicyError
from genagents_env.profile import AgentID, Context, Profile

__all__ = [
    "AgentID",
    "Answer",
    "Context",
    "Policy",
    "Profile",
    "Remembered",
    "interview_arguments",
    "load_policy",
    "policy_class",
    "policy_names",
    "read_options",
]

Observations = Mapping[AgentID, Mapping[str, Any]]
Infos = Mapping[AgentID, Mapping[str, Any]]
T = TypeVar("T")

Options = TypeVar("Options", bound=BaseModel)

ENTRY_POINTS = "genagents_env.policies"
INTERVIEW_CALLS = 1000  # numbers set aside for the calls of one interview
_FILES = {"random": "uniform"}  # a file random.py would shadow the standard library


@dataclass(frozen=True, slots=True)
class Answer:
    """An interview answer and the ids of the events it rests on."""

    text: str
    evidence: tuple[int, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Remembered:
    """A memory in words, and the ids of the events it comes from; none for what one always knew."""

    text: str
    events: tuple[int, ...] = field(default=())


class Policy:
    """Decides for the agents given to it. Implement `act` or `act_async`; the other follows.

    `act` gets all its agents at once, so a network runs one batch and a mind sends its model
    calls together. Agents left out of the answer idle.

    Attributes:
        name: by which it is known.
        needs_model: it asks `context.model`.
        needs_embedder: it asks `context.embedder`.
        remembers: it can be interviewed.
    """

    name: ClassVar[str]
    needs_model: ClassVar[bool] = False
    needs_embedder: ClassVar[bool] = False
    remembers: ClassVar[bool] = False
    _runner: asyncio.Runner | None = None

    def reset(self, profiles: Mapping[AgentID, Profile], seed: int, context: Context) -> None:
        """Begin an episode for these agents. Random choices must depend on `seed` alone."""

    def act(self, observations: Observations, infos: Infos) -> dict[AgentID, Action]:
        """Return an action for each agent in `observations`."""
        if type(self).act_async is Policy.act_async:
            raise PolicyError(f"{type(self).__name__} implements neither act nor act_async")
        return self._waited_for(self.act_async(observations, infos))

    async def act_async(self, observations: Observations, infos: Infos) -> dict[AgentID, Action]:
        """Return an action for each agent in `observations`, awaiting models on the way."""
        return self.act(observations, infos)

    def interview(self, agent: AgentID, questions: Sequence[str], repeat: int = 0) -> list[Answer]:
        """Return an answer of `agent` to each question, leaving no trace: `state()` stays as it is.

        Args:
            agent: who is asked.
            questions: put in this order.
            repeat: which of several interviews at this moment; each is independent of the others.

        Raises:
            PolicyError: it remembers nothing that could be asked for.
        """
        if type(self).interview_async is Policy.interview_async:
            raise PolicyError(f"the policy {self.name!r} cannot be interviewed")
        put = interview_arguments(self.interview_async, agent, questions, repeat)
        return self._waited_for(self.interview_async(*put))

    async def interview_async(
        self, agent: AgentID, questions: Sequence[str], repeat: int = 0
    ) -> list[Answer]:
        """Return what `interview` does, awaiting models on the way.

        Calls are numbered from `repeat * INTERVIEW_CALLS` on, so that repeats share no key.

        Its calls have the purpose `interview`, or `interview.` and more, and the tick of the
        moment: one after the last percept's, 0 before the first. So the answers at both ends of a
        run never share a key, and those of an end that is none any more can be taken back.
        """
        return self.interview(*interview_arguments(self.interview, agent, questions, repeat))

    def memories(self, agent: AgentID) -> Sequence[Remembered]:
        """Return what `agent` remembers now, of whatever kind; nothing where it keeps no words."""
        return ()

    async def settle(self) -> None:
        """Await the model calls under way, so that their replies are stored; apply nothing."""

    def state(self) -> dict[str, Any]:
        """Return everything needed to go on: JSON values only."""
        return {}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` returned, after a `reset` with the same arguments."""

    def close(self) -> None:
        """Free what is held; safe to call twice."""
        if self._runner is not None:
            self._runner.close()
            self._runner = None

    def _waited_for(self, coroutine: Coroutine[Any, Any, T]) -> T:
        # One loop over all calls: what one call leaves under way goes on in the next.
        if self._runner is None:
            self._runner = asyncio.Runner()
        return self._runner.run(coroutine)


def interview_arguments(
    function: Callable[..., Any], agent: AgentID, questions: Sequence[str], repeat: int
) -> tuple[Any, ...]:
    """Return what a policy's `interview` or `interview_async` is to be called with.

    The first interview goes without its number: policies from before there could be several take
    none, and can be asked once.

    Raises:
        PolicyError: `function` takes no number, and it is a later interview.
    """
    if not repeat:
        return (agent, questions)
    try:
        inspect.signature(function).bind(agent, questions, repeat)
    except TypeError:
        raise PolicyError(
            f"{function.__qualname__} cannot be asked more than once at a moment: it takes no "
            "argument `repeat`"
        ) from None
    return (agent, questions, repeat)


def read_options(model: type[Options], fields: Mapping[str, Any], policy: str) -> Options:
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


def policy_names() -> list[str]:
    """Return the names `load_policy` knows: the shipped ones, then plug-ins, each sorted."""
    plugins = {point.name for point in entry_points(group=ENTRY_POINTS)}
    return [*_shipped(), *sorted(plugins.difference(_shipped()))]


def _shipped() -> list[str]:
    package = importlib.import_module("genagents_env.policies")
    files = {stem: name for name, stem in _FILES.items()}
    stems = [m.name for m in pkgutil.iter_modules(package.__path__) if m.name[0] != "_"]
    return sorted(files.get(stem, stem) for stem in stems)


def load_policy(name: str, **config: Any) -> Policy:
    """Return a new policy.

    Args:
        name: a shipped name (`scripted`), a plug-in's entry point, or `path/to/file.py:Class`.
        config: the policy's own keyword arguments.

    Raises:
        PolicyError: there is no such policy, or it does not accept `config`.
    """
    found = policy_class(name)
    try:
        inspect.signature(found).bind(**config)
    except TypeError as error:
        raise PolicyError(f"policy {name!r}: {error}") from None
    return found(**config)


def policy_class(name: str) -> type[Policy]:
    """Return the class `load_policy` would build; a plug-in cannot take a shipped name."""
    if ".py" in name or "/" in name:
        return _from_path(name)
    if name in _shipped():  # first, since looking for entry points reads every installed package
        module = importlib.import_module(f"genagents_env.policies.{_FILES.get(name, name)}")
        return _only_policy(module)
    for point in entry_points(group=ENTRY_POINTS):
        if point.name == name:
            return _checked(point.load(), name)
    known = policy_names()
    close = get_close_matches(name, known, 1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    raise PolicyError(
        f"no policy {name!r}; {hint}known: {', '.join(known)}, or path/to/file.py:Class"
    )


def _from_path(spec: str) -> type[Policy]:
    path_text, _, class_name = spec.rpartition(":") if ".py:" in spec else (spec, "", "")
    path = Path(path_text)
    if not path.is_file():
        raise PolicyError(f"no policy file {path_text!r}; expected path/to/file.py:Class")
    module_name = f"genagents_user_policy_{path.stem}"
    spec_of = importlib.util.spec_from_file_location(module_name, path)
    if spec_of is None or spec_of.loader is None:
        raise PolicyError(f"{path_text!r} is not a Python file")
    module = importlib.util.module_from_spec(spec_of)
    sys.modules[module_name] = module
    spec_of.loader.exec_module(module)
    if not class_name:
        return _only_policy(module)
    return _checked(getattr(module, class_name, None), spec)


def _only_policy(module: ModuleType) -> type[Policy]:
    own = [
        value
        for value in vars(module).values()
        if inspect.isclass(value) and issubclass(value, Policy) and "name" in vars(value)
        if value.__module__.startswith(module.__name__)
    ]
    if len(own) != 1:
        raise PolicyError(f"{module.__name__} defines {len(own)} named policies, expected one")
    return own[0]


def _checked(found: object, name: str) -> type[Policy]:
    if not (inspect.isclass(found) and issubclass(found, Policy)):
        raise PolicyError(f"{name!r} is not a subclass of genagents_env.policy.Policy")
    return found
