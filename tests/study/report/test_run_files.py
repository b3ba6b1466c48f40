"""A report of run files: their words, their values without factors, what they cost."""

import csv
import json
from pathlib import Path

import pytest

from genagents_env.errors import ConfigError
from genagents_env.record import RunReader
from genagents_env.show.summary import describe_run
from genagents_env.study.report import measure_runs, write_report
from tests.study.report.page_tags import PageTags
from tests.study.report.planted import cake, plant, scenario


def test_a_page_holds_the_words_the_values_and_the_cost(tmp_path: Path) -> None:
    runs = [cake(tmp_path / "a.sqlite"), cake(tmp_path / "b.sqlite", seed=2)]
    paths = write_report(measure_runs([*runs, runs[0]]), tmp_path / "out")
    names = {path.relative_to(tmp_path / "out").as_posix() for path in paths}
    assert {f"{name}.csv" for name in ("runs", "means", "values", "costs", "measures")} <= names
    assert {"figures/values.png", "figures/diffusion.png"} <= names
    page = PageTags(tmp_path / "out/report.html")
    for run in runs:
        with RunReader(run) as reader:
            for line in describe_run(reader):
                assert line in page.text
    assert "To repeat it" not in page.text
    check_links(page)
    told = json.loads((tmp_path / "out/report.json").read_text())
    assert [run["run"] for run in told["runs"]] == [str(run) for run in runs]
    rows = csv.DictReader((tmp_path / "out/values.csv").read_text().splitlines())
    assert [row["value"] for row in rows if row["measure"] == "heard"] == ["1.0", "1.0"]


def check_links(page: PageTags) -> None:
    """Assert that what links lead to is on the page, and that nothing is loaded."""
    links = {link.lstrip("#") for link in page.all("a", "href")}
    assert links <= {own["id"] for _, own in page.tags if own.get("id")}
    (policy,) = [
        own["content"] for _, own in page.tags if own.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policy == "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
    page.check_inert()


@pytest.mark.usefixtures("unpictured")
def test_nothing_asked_said_or_called_makes_a_report_all_the_same(tmp_path: Path) -> None:
    bare = scenario(questions=(), facts=(), checks=(), success=())
    runs = (
        plant(tmp_path / "a.sqlite", 3, scenario=bare, model=None, price=None),
        plant(tmp_path / "b.sqlite", 0, status="interrupted"),
    )
    paths = write_report(measure_runs(runs), tmp_path / "out")
    assert "costs.csv" not in [path.name for path in paths]


def test_an_unfinished_run_counts_as_far_as_it_came_and_is_told(tmp_path: Path) -> None:
    known = measure_runs(
        [cake(tmp_path / "a.sqlite"), cake(tmp_path / "b.sqlite", status="paused", seed=2)]
    )
    assert known.plan.name == "cake: 2 runs"
    assert [(run.state, run.counted) for run in known.runs] == [
        ("finished", True),
        ("stopped", True),
    ]
    assert any("b.sqlite is paused: its values are of what" in one for one in known.cautions)
    with pytest.raises(ConfigError, match="needs a folder"):
        write_report(known)
    assert list(known.conditions) == ["lyfe option_action=false"]


def test_runs_of_one_seed_stand_by_themselves(tmp_path: Path) -> None:
    known = measure_runs([cake(tmp_path / "a.sqlite"), cake(tmp_path / "b.sqlite")])
    assert [name.rpartition("/")[2] for name in known.conditions] == ["a.sqlite)", "b.sqlite)"]
    assert len({run.measured.life for run in known.runs if run.measured}) == 1


def test_conditions_are_called_by_what_differs(tmp_path: Path) -> None:
    runs = [cake(tmp_path / "a.sqlite"), cake(tmp_path / "b.sqlite", model="other")]
    known = measure_runs(runs, primary=("heard",))
    policy = "lyfe option_action=false"
    assert list(known.conditions) == [f"{policy}, toy", f"{policy}, other"]
    assert known.headlines == ()  # a mean over different conditions is of nothing
    one = measure_runs([runs[0], cake(tmp_path / "c.sqlite", seed=2)], primary=("heard",))
    assert one.headlines == ("Diffusion by hearing: crumbs: 1, mean of 2 runs.",)


def test_verdicts_where_one_happens_to_be_are_none_of_run_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("verdicts.jsonl").write_text("nonsense\n")
    found = measure_runs([cake(tmp_path / "a.sqlite")])
    assert not any("judge" in line for line in (*found.cautions, *found.problems))
