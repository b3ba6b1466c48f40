import signal

from genagents_env.study.sweep.job import TrialResult
from genagents_env.study.sweep.lives import describe_equal_levels, describe_missing_values
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


Lives = dict[tuple[str, ...], str]
LEVELS = {"mind": ("bare", "full"), "sight": ("2", "8")}


def test_levels_of_equal_lives_are_told_with_where_they_were_equal() -> None:
    lives: Lives = {("bare", "2"): "a", ("full", "2"): "a", ("bare", "8"): "b", ("full", "8"): "b"}
    (told,) = describe_equal_levels(LEVELS, lives)
    assert told.startswith("mind: bare and full led the same life in all 2 pairs of runs")
    one: Lives = {("bare",): "a", ("full",): "a"}
    (alone,) = describe_equal_levels({"mind": LEVELS["mind"]}, one)
    assert "in the one pair of runs of the first seed" in alone
    assert not list(describe_equal_levels(LEVELS, lives | {("full", "8"): "c"}))


def test_a_primary_value_that_no_run_has_is_told_with_those_there_are() -> None:
    names = {"heard.ferry", "heard.tea", "density"}
    assert not list(describe_missing_values(["heard", "heard.tea", "density"], names))
    party, came = describe_missing_values(["heard.party", "came"], names)
    assert party.endswith(
        "a value of heard.party, which is `primary`; there is heard.ferry, heard.tea"
    )
    assert came.endswith("came has none at all")
    (reach,) = describe_missing_values(["folder/mine.py:reach.b"], {"reach.a"})
    assert reach.endswith("there is reach.a")
