"""What the first seed shows of a study that cannot answer its question."""

from genagents_env.study.sweep.lives import describe_equal_levels, describe_missing_values

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
