import signal

from genagents_env.sweep.halt import Halt
from genagents_env.sweep.work import Result


def end(status: str) -> Result:
    state = "finished" if status == "finished" else "stopped"
    return Result("t", state, status, 1, None, "", 1.0)  # type: ignore[arg-type]  # one of three


def test_three_outages_in_a_row_end_what_needs_a_model() -> None:
    halt = Halt(lambda: None, lambda: None)
    for status in ("paused", "paused", "finished", "paused", "paused"):
        halt.hear(end(status), needs_model=True)
    assert halt.allows(needs_model=True)
    halt.hear(end("finished"), needs_model=False)  # says nothing about the endpoint
    halt.hear(end("paused"), needs_model=True)
    assert not halt.allows(needs_model=True)
    assert halt.allows(needs_model=False)
    halt.hear(end("finished"), needs_model=True)  # had begun before
    assert not halt.allows(needs_model=True)
    assert halt.verdict(left=3, failed=1)[0] == 75


def test_a_used_up_budget_lets_those_begin_that_cost_nothing() -> None:
    halt = Halt(lambda: "tokens", lambda: None)
    assert not halt.allows(needs_model=True)
    assert halt.allows(needs_model=False)
    code, why = halt.verdict(left=2, failed=0)
    assert code == 3
    assert "tokens" in why
    assert not Halt(lambda: "seconds", lambda: None).allows(needs_model=False)


def test_the_exit_code_names_the_first_reason() -> None:
    assert Halt(lambda: None, lambda: None).verdict(left=0, failed=0) == (0, "")
    assert Halt(lambda: None, lambda: None).verdict(left=0, failed=2)[0] == 1
    assert Halt(lambda: "calls", lambda: signal.SIGTERM).verdict(left=1, failed=2)[0] == 143
    assert Halt(lambda: "calls", lambda: signal.SIGINT).verdict(left=0, failed=0)[0] == 0
    own = Halt(lambda: None, lambda: None)
    own.hear(end("budget_exhausted"), needs_model=True)
    assert own.verdict(left=1, failed=0)[0] == 3
