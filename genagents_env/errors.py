"""Every error this package raises on purpose, one sentence each."""


class GenagentsError(Exception):
    """Base of all errors raised on purpose; its text says what to do. Exit code of the CLI: 2."""

    exit_code = 2


class ScenarioError(GenagentsError):
    """A scenario folder is at fault; `faults` lists every fault as `file:key: what, allowed`."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("\n".join(faults))
        self.faults = faults


class ConfigError(GenagentsError):
    """An option or a policy's configuration has a value that is not allowed."""


class FileError(ConfigError):
    """A file or folder that was named cannot be read or written."""


class PolicyError(GenagentsError):
    """A policy cannot be found, loaded or does not keep the contract."""


class EpisodeError(GenagentsError):
    """The environment was used out of order, as `step` before the first `reset`."""


class RecordError(GenagentsError):
    """A run file is missing, foreign, damaged, or of a newer version."""


class DamageError(RecordError):
    """The content of a run file is not what was written; `what` says in short what is wrong."""

    def __init__(self, text: str, what: str) -> None:
        super().__init__(text)
        self.what = what


class RunLocked(RecordError):
    """Another process is writing this run file."""

    exit_code = 73


class DiskError(RecordError):
    """A run file cannot be opened, read or written: disk, folder or permissions are at fault.

    `why` says what happened, without what to do.
    """

    def __init__(self, message: str, *, why: str = "") -> None:
        super().__init__(message)
        self.why = why or message


class DivergenceError(RecordError):
    """A resumed run asked a model something else than the recorded run did at the same point."""


class LLMError(GenagentsError):
    """Base of what can go wrong with one model call."""


class LLMUnavailable(LLMError):
    """The endpoint gave no completion within the attempts or the deadline of a call."""


class LLMBadReply(LLMError):
    """The words of a completion are of no use, or a model of embeddings gave no vectors."""


class LLMRefused(LLMError):
    """The endpoint refused the request (key, permission, unknown model): retrying cannot help."""


class ModelOutage(GenagentsError):
    """Too many model calls in a row failed: the run pauses with a checkpoint. Exit code 75.

    Attributes:
        why: what happened, without what to do.
        since: the tick of the first of those calls; None where none belongs to a tick.
    """

    exit_code = 75

    def __init__(self, why: str, advice: str = "", *, since: int | None = None) -> None:
        super().__init__(f"{why}. {advice}" if advice else why)
        self.why, self.since = why, since


class PolicyFailed(GenagentsError):
    """A policy failed to decide in a run that stops at the first such error. Exit code 4."""

    exit_code = 4


class BudgetExceeded(GenagentsError):
    """A limit of the budget is reached: the run stops with a checkpoint. Exit code 3."""

    exit_code = 3

    def __init__(self, kind: str, limit: float, value: float) -> None:
        super().__init__(
            f"budget reached: {kind} would be {value:g}, limit {limit:g}; "
            f"--limit {kind}=N raises it"
        )
        self.kind, self.limit, self.value = kind, limit, value
