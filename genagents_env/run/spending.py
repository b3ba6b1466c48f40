"""What a run has spent, across its interruptions: answered calls count once, lost ones too."""

from decimal import Decimal

from genagents_env.llm.budget import Budget, Spend
from genagents_env.llm.prices import FREE, Price
from genagents_env.record import RunReader, RunWriter
from genagents_env.record.guard import guard_reading
from genagents_env.record.head import read_spending
from genagents_env.record.reader import SPENDING
from genagents_env.record.rows import encode
from genagents_env.run.spec import Limits

_PREFLIGHT = "preflight"  # the note of what was spent before the file was made


def note_spending(writer: RunWriter, budget: Budget) -> None:
    """Keep what is spent now, beside the tick of the checkpoint from which a resume would start."""
    writer.note(SPENDING, encode({"checkpoint": writer.last_checkpoint, **budget.state()}))


def note_preflight(writer: RunWriter, spent: Spend) -> None:
    """Keep what the question before the run took, for those who begin to count anew."""
    if spent.calls:
        amount = {"calls": spent.calls, "tokens": spent.tokens, "dollars": str(spent.dollars)}
        writer.note(_PREFLIGHT, encode(amount))


def _read_preflight(writer: RunWriter) -> Spend:
    with guard_reading(writer.path):
        note = read_spending(writer.find_note(_PREFLIGHT))
    if note is None:
        return Spend()
    return Spend(note["calls"], note["tokens"], Decimal(note["dollars"]))


def restore_spending(
    writer: RunWriter, budget: Budget, price: Price | None, checkpoint: int, saved: object
) -> None:
    """Set `budget` to what was spent without the stored calls that will be made again.

    The cassette charges those as it answers them. Attempts that failed are not in the cassette;
    the note made when the run stopped has them. A killed run left no note: its checkpoint is used.

    Args:
        writer: just rewound.
        budget: of the stretch that begins.
        price: of the model.
        checkpoint: the tick of the checkpoint, -1 for the start.
        saved: the budget's state in it, or None.
    """
    with guard_reading(writer.path):
        note = read_spending(writer.find_note(SPENDING))
    if note is None or note.pop("checkpoint") != checkpoint:
        if saved is not None:
            budget.load_state(saved)  # type: ignore[arg-type]  # JSON of our own, checksummed
        else:
            budget.charge(_read_preflight(writer))
        return
    attempts, read, written = writer.sum_calls_since(checkpoint)
    dollars = Decimal(note["dollars"]) - (price or FREE).cost(read, written)
    note["calls"] = max(0, note["calls"] - attempts)
    note["tokens"] = max(0, note["tokens"] - read - written)
    note["dollars"] = str(max(Decimal(0), dollars))
    budget.load_state(note)


def compute_remaining(limits: Limits, run: RunReader) -> Limits:
    """Return what `limits` leave for what comes after a run, 0 where it used them up."""
    noted = run.spending
    if noted is None:
        return limits
    return limits.subtract(Spend(noted.calls, noted.tokens, noted.dollars), noted.seconds)
