"""What a run has spent, across its interruptions: in its file before anything is sent."""

from genagents_env.llm.budget import Budget
from genagents_env.record import RunReader, RunWriter
from genagents_env.record.guard import guard_reading
from genagents_env.record.spending import Spending
from genagents_env.run.spec import Limits


def keep_spending(writer: RunWriter, budget: Budget) -> None:
    """Set `budget` to what the run has spent so far, and have its file keep what is spent from now.

    What was in flight when its process was killed is lost, and spent at the most it could cost.
    Stored calls that are made again cost nothing: they were paid for.

    Raises:
        RecordError: the file cannot be written, or does not say what was spent.
    """
    with guard_reading(writer.path):
        noted = writer.spending.read()
    if noted is not None:
        kept = noted.count_lost()
        budget.load_spending(kept.spent, kept.seconds, kept.lost, kept.clipped)
    writer.spending.measure = lambda: _measure(budget)
    budget.on_change = writer.keep_spending
    writer.keep_spending()


def compute_remaining(limits: Limits, run: RunReader) -> Limits:
    """Return what `limits` leave for what comes after a run, 0 where it used them up."""
    noted = run.spending
    return limits if noted is None else limits.subtract(noted.total, noted.seconds)


def _measure(budget: Budget) -> Spending:
    return Spending(budget.spent, budget.reserved, budget.elapsed, budget.lost, budget.clipped)
