import signal

from genagents_env.study.sweep.job import TrialResult
from genagents_env.study.sweep.stop_rule import StopRule


def end(status: str) -> TrialResult:
    return TrialResult("t", status, 1)


def test_three_outages_in_a_row_end_what_needs_a_model() -> None:
    halt = StopRule(lambda: None, lambda: None)
    for status in ("paused", "paused", "finished", "paused", "paused"):
        halt.note(end(status), needs_model=True)
    assert halt.allows(needs_model=True)
    halt.note(end("finished"), needs_model=False)  # says nothing about the endpoint
    halt.note(end("paused"), needs_model=True)
    assert not halt.allows(needs_model=True)
    assert halt.allows(needs_model=False)
    halt.note(end("finished"), needs_model=True)  # had begun before
    assert not halt.allows(needs_model=True)
    assert halt.conclude(left=3, failed=1)[0] == 75


def test_a_used_up_budget_lets_those_begin_that_cost_nothing() -> None:
    halt = StopRule(lambda: "tokens", lambda: None)
    assert not halt.allows(needs_model=True)
    assert halt.allows(needs_model=False)
    code, why = halt.conclude(left=2, failed=0)
    assert code == 3
    assert "tokens" in why
    assert not StopRule(lambda: "seconds", lambda: None).allows(needs_model=False)


def test_the_exit_code_names_the_first_reason() -> None:
    assert StopRule(lambda: None, lambda: None).conclude(left=0, failed=0) == (0, "")
    assert StopRule(lambda: None, lambda: None).conclude(left=0, failed=2)[0] == 1
    assert StopRule(lambda: "calls", lambda: signal.SIGTERM).conclude(left=1, failed=2)[0] == 143
    assert StopRule(lambda: "calls", lambda: signal.SIGINT).conclude(left=0, failed=0)[0] == 0
    own = StopRule(lambda: None, lambda: None)
    own.note(end("budget_exhausted"), needs_model=True)
    assert own.conclude(left=1, failed=0)[0] == 3
