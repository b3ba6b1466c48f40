from pathlib import Path

import pytest

from genagents_env.study.judge.verdicts import Judgement, Verdicts
from genagents_env.study.report import write_report
from genagents_env.study.report.study_tables import tabulate_means
from genagents_env.study.stats.intervals import Interval, list_bounds
from tests.study.report.planted_study import ADA, degraded, make_runs, pair, study

SHARED = {
    "block": "cake",
    "agent": ADA,
    "when": "after",
    "question": "Who took the cake?",
    "number": 0,
    "rubric": "believability",
    "edition": "1",
    "low": 1,
    "high": 5,
    "by": "model",
    "repeat": 0,
}


def judged(seed: int, conditions: tuple[str, ...], **more: object) -> Judgement:
    texts = tuple(f"a{name}{seed}" for name in conditions)
    runs = tuple(f"{name}-s{seed}-0123abcd" for name in conditions)
    given = SHARED | {"texts": texts, "contents": texts, "runs": runs, "seed": seed}
    given |= {"conditions": conditions} | more
    return Judgement(**given)  # type: ignore[arg-type]  # tests give what is meant


def rating(seed: int, condition: str, value: int | None, **more: object) -> Judgement:
    return judged(seed, (condition,), **{"value": value, "judge": "toy", **more})


@pytest.mark.usefixtures("unpictured")
def test_ratings_rankings_and_agreement_stand_in_the_report(tmp_path: Path) -> None:
    with Verdicts(tmp_path / "verdicts.jsonl") as verdicts:
        for seed in range(4):
            for condition, value in (("bare", 2), ("full", 4)):
                for repeat in range(2):
                    verdicts.add(rating(seed, condition, value, repeat=repeat))
                verdicts.add(rating(seed, condition, value, by="human", judge="Grace"))
            for read, better in ((("bare", "full"), "second"), (("full", "bare"), "first")):
                verdicts.add(judged(seed, read, value=better, judge="<b>toy</b>"))
    known = pair(tmp_path)
    names = [table.name for table in known.tables]
    assert names == ["ratings", "rankings", "judges_agreement"]
    ratings, rankings, _ = known.tables
    means = {(row[1], row[2]): row[4] for row in ratings.rows}
    assert getattr(means["full", "toy"], "mean", None) == 4
    assert getattr(means["bare", "Grace (human)"], "mean", None) == 2
    assert [row[3] for row in rankings.rows] == ["full", "bare"]
    page = write_report(known)[0].read_text()
    assert "&lt;b&gt;toy" in page
    assert (tmp_path / "ratings.csv").exists()


@pytest.mark.usefixtures("unpictured")
def test_verdicts_count_on_runs_of_the_study_that_are_in_means(tmp_path: Path) -> None:
    """Ada's answers of a run that was made again since, and those of a degraded one."""
    runs = make_runs(tmp_path, lambda *_: {}, 3)
    runs[-1] = degraded(runs[-1])
    with Verdicts(tmp_path / "verdicts.jsonl") as verdicts:
        for seed in range(3):
            for condition in ("bare", "full"):
                verdicts.add(rating(seed, condition, 3))
        verdicts.add(rating(0, "bare", 1, texts=("aold",), runs=("bare-s0-before",)))
    known = study(tmp_path, runs, primary=("judge.believability",))
    left = "Left out: 1 of what judges said, on runs that this study has no more."
    assert left in known.cautions
    (ratings,) = known.tables
    assert [(row[1], row[6]) for row in ratings.rows] == [("bare", 3), ("full", 2)]
    assert known.values_of("judge.believability") == {
        "bare": {0: 3.0, 1: 3.0, 2: 3.0},
        "full": {0: 3.0, 1: 3.0},
    }


@pytest.mark.usefixtures("unpictured")
def test_several_judges_in_one_mean_are_told_and_no_interval_leaves_the_scale(
    tmp_path: Path,
) -> None:
    runs = make_runs(tmp_path, lambda *_: {}, 2)
    with Verdicts(tmp_path / "verdicts.jsonl") as verdicts:
        for seed, value in ((0, 1), (1, 5)):
            verdicts.add(rating(seed, "bare", value), rating(seed, "full", 3))
        verdicts.add(rating(0, "full", 5, by="human", judge="Ann"))
    known = study(tmp_path, runs, primary=("judge.believability",))
    assert "the mean of all who rated it" in known.tables[0].note
    means = [mean for mean in tabulate_means(known).rows[0][3:] if isinstance(mean, Interval)]
    means += [row[4] for row in known.tables[0].rows if isinstance(row[4], Interval)]
    assert means[0].mean == 3
    assert all(1 <= end <= 5 for mean in means for end in list_bounds(mean))
