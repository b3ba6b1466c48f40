"""Decides whether a policy that a run file names may be imported: the file may be a stranger's.

A policy given by path is code, which resuming or interviewing would run. It is imported only if the
user allows it, and only with the recorded content. Shipped policies and plug-ins are installed and
need no permission.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from genagents_env.errors import ConfigError, PolicyError
from genagents_env.record import PolicyOrigin, RunMeta, RunWriter
from genagents_env.record.meta import (
    POLICY_CHANGES,
    PolicyChange,
    decode_changes,
    encode_changes,
)
from genagents_env.run.policies import (
    SHOWN,
    PolicySource,
    find_plugin,
    find_policy_file,
    is_shipped,
    read_source,
    shorten_policy,
)
from genagents_env.run.policy_groups import PolicyGroups, PolicySpec
from genagents_env.run.spec import RunOptions

_UNKNOWN = PolicyOrigin()


@dataclass(frozen=True)
class ChosenPolicies:
    """The files of a run's policies, read but not imported.

    Attributes:
        sources: of each policy that is a file, by its name in the record.
        origins: of each policy that is not shipped, at present.
    """

    sources: Mapping[str, PolicySource] = field(default_factory=dict)
    origins: Mapping[str, PolicyOrigin] = field(default_factory=dict)

    def __or__(self, others: "ChosenPolicies") -> "ChosenPolicies":
        return ChosenPolicies(
            {**self.sources, **others.sources}, {**self.origins, **others.origins}
        )


def read_policies(names: Iterable[str]) -> ChosenPolicies:
    """Return the policies that a user names for a new run, which allows them.

    Raises:
        PolicyError: a file cannot be read.
    """
    names = list(dict.fromkeys(names))
    sources = {name: read_source(name) for name in names if find_policy_file(name) is not None}
    return ChosenPolicies(sources, _find_origins(names, sources))


def choose_policies(path: Path, meta: RunMeta, options: RunOptions) -> ChosenPolicies:
    """Return the policies of a recorded run as far as `options` trust them; nothing is imported.

    See `RunOptions.trust_policies` and `RunOptions.policies`.

    Raises:
        ConfigError: `options` name what is no policy of this run.
        PolicyError: a policy by path was neither trusted nor named again, its file has changed, or
            cannot be read.
    """
    names, by_path = _list_names(meta)
    named = _match_named(path, by_path, options.policies)
    rest = [name for name in by_path if name not in named]
    if rest and not options.trust_policies:
        raise PolicyError(_describe_untrusted(path, rest, meta.origins))
    for name in rest:
        if (file := find_policy_file(name)) is not None and not file.is_file():
            how = f"if it was moved, --trust FOLDER/{shorten_policy(name)} says where to"
            raise PolicyError(f"no policy file {str(file)!r}; {how}")
    sources = {name: read_source(named.get(name, name)) for name in by_path}
    for name in rest:
        _check_unchanged(path, sources[name], meta.origins.get(name, _UNKNOWN))
    return ChosenPolicies(sources, _find_origins(names, sources))


def load_policies(meta: RunMeta, options: RunOptions, chosen: ChosenPolicies) -> PolicyGroups:
    """Return the policies of a recorded run, not reset."""
    # In the order of the names, which the policy groups and their states follow.
    specs = {agent: PolicySpec(**meta.policies[agent]) for agent in meta.names}
    deadline = options.find_policy_deadline()
    before = [
        (each.agent, PolicySpec(each.name, each.config), meta.find_since(each.agent, each.tick))
        for each in meta.takeovers
    ]
    return PolicyGroups.load(
        specs,
        chosen.sources,
        since={agent: meta.find_since(agent) for agent in meta.names},
        former=before,
        strict=options.strict,
        deadline=deadline,
    )


def note_changes(writer: RunWriter, chosen: ChosenPolicies) -> None:
    """Note in a run file the changes of its policies, and the tick."""
    recorded = writer.meta.origins
    changes = [
        PolicyChange(name, str(before), str(now), writer.tick)
        for name, now in chosen.origins.items()
        if (before := recorded.get(name, _UNKNOWN)) != now
    ]
    if changes:
        noted = decode_changes(writer.find_note(POLICY_CHANGES))
        writer.note(POLICY_CHANGES, encode_changes([*noted, *changes]))
        writer.replace_meta(replace(writer.meta, origins=chosen.origins))


def format_resume(path: Path, meta: RunMeta, *, corrected: bool = False) -> str:
    """Return the command that resumes a run, with the permission that its policies need.

    `corrected`: their files will have changed.
    """
    _, by_path = _list_names(meta)
    words = ["--trust unchanged"] if by_path else []
    if corrected:
        words = [f"--trust {name}" for name in by_path]
    return " ".join((f"genagents resume {path}", *words))


def _list_names(meta: RunMeta) -> tuple[list[str], list[str]]:
    """Return the names of a run's policies, each once, and those of them that are paths."""
    names = list(dict.fromkeys(str(spec["name"]) for spec in meta.policies.values()))
    return names, [name for name in names if find_policy_file(name) is not None]


def _find_origins(
    names: Iterable[str], sources: Mapping[str, PolicySource]
) -> dict[str, PolicyOrigin]:
    origins = {}
    for name in names:
        if name in sources:
            origins[name] = PolicyOrigin(sha256=sources[name].sha256)
        elif not is_shipped(name) and (plugin := find_plugin(name)) is not None:
            package = plugin.dist
            origins[name] = (
                _UNKNOWN if package is None else PolicyOrigin(None, package.name, package.version)
            )
    return origins


def _match_named(path: Path, by_path: Sequence[str], named: Sequence[str]) -> dict[str, str]:
    """Map each policy of the run that was named again to the new path."""
    matches: dict[str, str] = {}
    for name in named:
        alike = [own for own in by_path if shorten_policy(own) == shorten_policy(name)]
        if name not in alike and len(alike) != 1:
            known = ", ".join(by_path) or "none by path"
            raise ConfigError(
                f"--trust {name}: {path} has no such policy; it has {known} (from "
                "any folder, under the same file name)"
            )
        matches[name if name in alike else alike[0]] = name
    return matches


def _describe_untrusted(
    path: Path, names: Sequence[str], origins: Mapping[str, PolicyOrigin]
) -> str:
    files = ", ".join(f"{name} ({origins.get(name, _UNKNOWN)})" for name in names)
    again = " ".join(f"--trust {name}" for name in names)
    return (
        f"{path} names policies that are code in files: {files}; none of it was run. If you trust "
        f"it, go on with --trust unchanged, or name it: {again}"
    )


def _check_unchanged(path: Path, source: PolicySource, before: PolicyOrigin) -> None:
    if before.sha256 == source.sha256:
        return
    if before.sha256 is None:
        raise PolicyError(
            f"{path} does not say what was in policy {source.name}, so nobody can tell whether it "
            f"has changed; none of it was run. If you trust it, name it: --trust {source.name}"
        )
    raise PolicyError(
        f"policy {source.name} has changed since {path} was recorded (sha256 then "
        f"{str(before.sha256)[:SHOWN]}, now {source.sha256[:SHOWN]}) and was not run; put it back, "
        f"or go on with the changed one by --trust {source.name}, which the run file then notes"
    )
