"""Where the code of a policy came from: a file by its checksum, or an installed package."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from pydantic import TypeAdapter

from genagents_env.record.rows import JSON, encode

POLICY_CHANGES = "policy_changes"  # the note of them in a run file
_SHOWN = 12  # digits of a checksum in a message


@dataclass(frozen=True, slots=True)
class PolicyOrigin:
    """What is known of a policy that is not shipped; all None where nothing is.

    Attributes:
        sha256: of its file alone, not of what the file imports.
        distribution: the installed package of a plug-in.
        version: of that package.
    """

    sha256: str | None = None
    distribution: str | None = None
    version: str | None = None

    def __str__(self) -> str:
        """Return it in words."""
        if self.sha256 is not None:
            return f"sha256 {self.sha256[:_SHOWN]}"
        if self.distribution is not None:
            return f"{self.distribution} {self.version}"
        return "origin not recorded"

    def as_json(self) -> dict[str, JSON]:
        """Return what is known, as JSON values."""
        return {name: value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True, slots=True)
class PolicyChange:
    """A policy with which a run went on although it was not as recorded.

    Attributes:
        policy: its name in the record.
        before: its origin as recorded, in words.
        now: its origin since.
        tick: the last one that was lived with the former.
    """

    policy: str
    before: str
    now: str
    tick: int


def encode_changes(changes: Iterable[PolicyChange]) -> str:
    """Return the note of these changes."""
    return encode([asdict(one) for one in changes])


def decode_changes(note: str | None) -> tuple[PolicyChange, ...]:
    """Return the changes that a note tells of; none where there is no note.

    Raises:
        ValueError: it is no such note.
    """
    return _CHANGES.validate_json(note or "[]", strict=True)


_CHANGES = TypeAdapter(tuple[PolicyChange, ...])
