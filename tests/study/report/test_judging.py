from pathlib import Path
from typing import Literal

import pytest

from genagents_env.study.judge.verdicts import Comparison, Rating, Verdicts
from genagents_env.study.report import write_report
from genagents_env.study.report.judging import tabulate_judgements
from tests.study.report.planted import change
from tests.study.report.planted_study import ADA, pair


def rating(seed: int, condition: str, value: int | None, **more: object) -> Rating:
    given = Rating(
        answer=f"a{condition}{seed}",
        run=f"{condition}-s{seed}",
        condition=condition,
        low=1,
        high=5,
        value=value,
        judge="toy",
        block="cake",
        seed=seed,
        agent=ADA,
        when="after",
        question="Who took the cake?",
        number=0,
        rubric="believability",
        edition="1",
        by="model",
        repeat=0,
    )
    return change(given, more)


def comparison(
    seed: int, verdict: Literal["first", "second"], shown: Literal["first", "second"]
) -> Comparison:
    return Comparison(
        first=f"abare{seed}",
        second=f"afull{seed}",
        first_run=f"bare-s{seed}",
        second_run=f"full-s{seed}",
        first_condition="bare",
        second_condition="full",
        judge="<b>toy</b>",
        shown=shown,
        verdict=verdict,
        block="cake",
        seed=seed,
        agent=ADA,
        when="after",
        question="Who took the cake?",
        number=0,
        rubric="believability",
        edition="1",
        by="model",
        repeat=0,
    )


@pytest.mark.usefixtures("unpictured")
def test_ratings_rankings_and_agreement_stand_in_the_report(tmp_path: Path) -> None:
    with Verdicts(tmp_path / "verdicts.jsonl") as verdicts:
        for seed in range(4):
            for condition, value in (("bare", 2), ("full", 4)):
                for repeat in range(2):
                    verdicts.add(rating(seed, condition, value, repeat=repeat))
                verdicts.add(rating(seed, condition, value, by="human", judge="Grace"))
            for shown in ("first", "second"):
                verdicts.add(comparison(seed, "second", shown))
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


def test_without_verdicts_there_is_no_table_and_no_caution(tmp_path: Path) -> None:
    assert tabulate_judgements(tmp_path / "verdicts.jsonl", ()) == ((), "")
