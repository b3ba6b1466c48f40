"""One trial of a sweep in this process: so any scheduler can carry a study, a job for each."""

from dataclasses import replace
from uuid import uuid4

from genagents_env.errors import ConfigError
from genagents_env.llm.budget import Limits, Spend
from genagents_env.study.sweep.design.cells import Trial
from genagents_env.study.sweep.folder import SweepFolder
from genagents_env.study.sweep.ledger import bound_spend, part_budget, read_spend, write_spend
from genagents_env.study.sweep.measured import read_measured
from genagents_env.study.sweep.session import SweepOptions, SweepSession
from genagents_env.study.sweep.worker import TrialResult, run_trial


def run_single(
    folder: SweepFolder, which: str, *, strict: bool = False, anyway: bool = False
) -> TrialResult:
    """Run one trial of a sweep's folder, and note in its log what came of it.

    On the machine where the sweep was begun it shares the ledger with all other processes there.
    Elsewhere it has an equal part of what the last session there left of the budget, which a later
    `sweep` counts.

    Args:
        folder: of the sweep; on another machine one of a shared file system.
        which: the trial's number from 0, in the order of the sweep, or its name.
        strict: as of `SweepOptions`.
        anyway: run again what was paid for.

    Raises:
        ConfigError: there is no such trial, it was paid for and would be run again, or elsewhere
            while the sweep goes on where it began.
    """
    trial = _find_trial(folder, which)
    session = SweepSession(folder, SweepOptions(workers=1, strict=strict, trials=[trial.name]))
    due = session.find_due()
    if not anyway:
        session.check_paid(due)
    if not due:
        measured = read_measured(folder.run_file(trial))
        return TrialResult(trial.name, "finished", measured=measured)
    job = replace(session.make_job(trial), is_dedicated=False)
    if folder.is_at_home:
        folder.open_ledger().close()  # which is made anew where it was lost
        result = run_trial(job)
    else:
        part, mark = _take_part(folder, job.total), uuid4().hex
        spent = write_spend(bound_spend(part))
        folder.log.append(event="part", id=mark, trial=trial.name, spent=spent)
        result = run_trial(replace(job, ledger=job.path.with_suffix(".ledger"), total=part))
        folder.log.append(event="part back", id=mark, spent=write_spend(result.spent))
    session.log_result(result)
    return result


def _take_part(folder: SweepFolder, total: Limits) -> Limits:
    known = folder.log.read_spending()
    if known is None:
        raise ConfigError(
            f"{folder.path}: its sweep goes on at {folder.plan.host}, or was killed there; end it "
            f"first (`genagents sweep {folder.path}` there), so that what it spent is known"
        )
    spent, since = read_spend(known[0]), sum(map(read_spend, known[1]), Spend())
    part = part_budget(total, spent, len(folder.trials))
    left = part_budget(total, spent + since, 1)  # of a part taken twice
    kinds = [kind for kind in ("calls", "tokens", "dollars") if getattr(part, kind) is not None]
    return replace(part, **{kind: min(getattr(part, kind), getattr(left, kind)) for kind in kinds})


def _find_trial(folder: SweepFolder, which: str) -> Trial:
    trials = {one.name: one for one in folder.trials}
    numbers = {str(number): one for number, one in enumerate(folder.trials)}
    if (trial := numbers.get(which) or trials.get(which)) is None:
        raise ConfigError(
            f"--trial {which}: there is none; allowed: 0 to {len(trials) - 1}, or a name such as "
            f"{next(iter(trials))}"
        )
    return trial
