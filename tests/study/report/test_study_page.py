"""The page of a study: what stands on it, that words stay words, that files are replaced whole."""

import csv
import json
import sys
from pathlib import Path

import pytest

from genagents_env.errors import ConfigError
from genagents_env.extras import format_install_command
from genagents_env.study.report import StudyResults, measure_study, write_report
from genagents_env.study.report.measuring import make_study_plan
from genagents_env.study.report.writing import format_study
from genagents_env.study.sweep import SweepFolder
from genagents_env.study.sweep.design.cells import Condition
from tests.study.report.page_tags import PageTags
from tests.study.report.planted import change
from tests.study.report.planted_study import (
    LEVELS,
    make_runs,
    measured,
    pair,
    run,
    study,
    unfinished,
)

EVIL = "<script>alert('x')</script> & <img src=x onerror=alert(1)> | `*_[a](b) $x$ \x1b[31m"


def rows(path: Path) -> list[list[str]]:
    return list(csv.reader(path.read_text().splitlines()))


def test_a_report_holds_the_question_the_finding_every_table_and_figure(tmp_path: Path) -> None:
    known = pair(tmp_path)
    first, *others = write_report(known)
    names = {path.relative_to(tmp_path).as_posix() for path in (first, *others)}
    assert first == tmp_path / "report.html"
    tabled = ("means", "effects", "runs", "values", "measures", "versions")
    assert {f"{name}.csv" for name in tabled} <= names
    assert "values.parquet" in names
    drawn = ("differences", "values", "diffusion")
    assert {f"figures/{name}.png" for name in drawn} <= names
    page = PageTags(first)
    for words in ("Does the mind change how far", known.headlines[0], "16 finished", "0 to 7"):
        assert words in page.text
    images = page.all("img", "src")
    assert len(images) == len(drawn)
    assert all(source.startswith("data:image/png;base64,") for source in images)
    assert page.all("a", "href").count("#runs") == 2 * len(drawn) + 1, "each leads to its runs"
    told = json.loads((tmp_path / "report.json").read_text())
    assert told["found"] == list(known.headlines)
    assert len(told["runs"]) == 16


@pytest.mark.usefixtures("unpictured")
def test_the_planted_numbers_stand_in_the_tables(tmp_path: Path) -> None:
    write_report(pair(tmp_path))
    head, first, *_ = rows(tmp_path / "means.csv")
    told = dict(zip(head, first, strict=True))
    assert (told["about"], told["measure"]) == ("primary", "Heard: crumbs")
    assert float(told["bare"]) == pytest.approx(0.215)
    assert float(told["full: low"]) < 0.53 < float(told["full: high"])
    assert told["full: n"] == "8"
    head, first, *_ = rows(tmp_path / "effects.csv")
    told = dict(zip(head, first, strict=True))
    assert float(told["difference"]) == pytest.approx(0.315)
    assert float(told["p after Holm"]) == pytest.approx(0.0078125)
    assert (told["seeds"], told["family"], told["interval by"]) == ("8", "primary", "sign-flip")
    strong = [own for tag, own in PageTags(tmp_path / "report.html").tags if tag == "tr" and own]
    assert strong == [{"class": "strong"}] * 2


@pytest.mark.usefixtures("unpictured")
def test_the_tidy_table_is_the_same_as_csv_parquet_and_json(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    known = pair(tmp_path)
    write_report(known)
    columns = ["run", "seed", "life", "mind", "measure", "key", "value", "censored", "why"]
    frame = pandas.read_parquet(tmp_path / "values.parquet")
    assert list(frame.columns) == columns == rows(tmp_path / "values.csv")[0]
    heard = frame[(frame.measure == "heard") & (frame.key == "crumbs")].groupby("mind").value.mean()
    assert heard["full"] - heard["bare"] == pytest.approx(0.315)
    told = known.as_json()["values"]
    assert [list(row) for row in told[:1]] == [columns]
    assert len(told) == len(frame) == 48
    assert "values" not in json.loads((tmp_path / "report.json").read_text())


@pytest.mark.usefixtures("unpictured")
def test_runs_that_are_not_finished_say_what_to_do(tmp_path: Path) -> None:
    states = ("stopped", "failed", "damaged", "due")
    runs = [unfinished(tmp_path, "bare", k, state, "why") for k, state in enumerate(states)]
    write_report(study(tmp_path, [*pair(tmp_path).runs, *runs]))
    text = PageTags(tmp_path / "report.html").text
    for way in ("goes on from its checkpoint", "tries it again", "sets it aside", "runs it"):
        assert f"why; `genagents sweep DIR` {way}" in text
    assert "4 of 20 runs are not finished (1 stopped, 1 failed, 1 damaged, 1 due)" in text


def test_nothing_finished_yet_makes_a_report_all_the_same(tmp_path: Path) -> None:
    due = [unfinished(tmp_path, level, seed, "due") for level in LEVELS["mind"] for seed in (0, 1)]
    page = PageTags(write_report(study(tmp_path, due))[0])
    assert "No run has finished yet" in page.text
    assert "4 due" in page.text
    assert not page.all("img", "src")
    assert not (tmp_path / "effects.csv").exists()


@pytest.mark.usefixtures("unpictured")
def test_measures_without_a_value_or_nought_are_named_below_the_means(tmp_path: Path) -> None:
    values = {"heard.crumbs": 0.5, "words": None, "tokens_per_hour": 0.0}
    runs = make_runs(tmp_path, lambda *_: values, 2)
    write_report(study(tmp_path, runs, primary=("heard.crumbs", "words")))
    page = PageTags(tmp_path / "report.html")
    assert "Left out, without a value or nought throughout: Tokens per hour." in page.text
    assert [row[1] for row in page.rows if row and row[0] == "primary"] == [
        "Heard: crumbs",
        "Words",
    ]


def hostile(folder: Path) -> StudyResults:
    condition = Condition(EVIL, (EVIL,), EVIL, "c" * 64)
    found = measured({f"heard.{EVIL}": 0.5}, EVIL, faults=(EVIL,), versions={EVIL: EVIL})
    runs = [
        change(
            run(folder, ["bare"], seed, {}),
            {
                "name": f"../../{EVIL}-s{seed}",
                "condition": condition,
                "measured": found,
                "problem": f"={EVIL}",
                "file": folder / f"runs/{seed}.sqlite",
            },
        )
        for seed in range(2)
    ]
    more = {"question": EVIL, "text": f"# {EVIL}\n```\n<b>x</b>"}
    return study(folder, runs, primary=("heard",), levels={EVIL: (EVIL, "other")}, **more)


def test_words_of_people_and_models_stay_words(tmp_path: Path) -> None:
    paths = write_report(hostile(tmp_path))
    assert all(path.resolve().is_relative_to(tmp_path) for path in paths)
    page = PageTags(paths[0])
    page.check_inert()
    assert "alert('x')" in page.text
    for path in paths:
        if path.suffix == ".csv":
            cells = [cell for row in rows(path) for cell in row]
            assert not [cell for cell in cells if cell.startswith(("=", "@", "+"))], path


def test_a_second_report_replaces_its_own_files_and_no_others(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    kept = [tmp_path / name for name in ("runs/a.sqlite", "mine.csv", "log.jsonl", "base.json")]
    for path in kept:
        path.write_text("mine")
    write_report(pair(tmp_path, seeds=1))
    listed = json.loads((tmp_path / "report.json").read_text())
    listed["files"] += ["../a.sqlite", "runs/a.sqlite", "log.jsonl", "gone.csv", 7]
    (tmp_path / "report.json").write_text(json.dumps(listed))
    bare = study(tmp_path, [run(tmp_path, ["bare"], s, {"heard.crumbs": 0.5}) for s in range(2)])
    told: list[str] = []
    write_report(bare, tell=told.append)
    assert all(path.read_text() == "mine" for path in kept)
    stale = "effects.csv, figures/differences.png"
    assert told == [f"{tmp_path}: of the report before, and not of this one: {stale}"]
    assert not list(tmp_path.glob(".report-*"))


@pytest.mark.usefixtures("unpictured")
def test_where_it_cannot_be_written_it_says_so_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = pair(tmp_path, seeds=1)
    assert write_report(known, tmp_path / "else/where")[0] == tmp_path / "else/where/report.html"
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ConfigError, match="is a file"):
        write_report(known, tmp_path / "file")
    with pytest.raises(ConfigError, match="is a file; a report needs a folder"):
        write_report(known, tmp_path / "file/deeper")

    def full(self: Path, content: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(ConfigError, match="cannot be written: the disk is full; make room"):
        write_report(known)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["else", "file"]


@pytest.mark.parametrize(
    ("library", "words", "absent"),
    [
        ("matplotlib", "No figures", "figures"),
        ("pandas", "No Parquet files: pandas is not installed", "values.parquet"),
        ("pyarrow", "No Parquet files: pyarrow is not installed", "values.parquet"),
    ],
)
def test_what_needs_a_missing_library_is_left_out_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, library: str, words: str, absent: str
) -> None:
    known = pair(tmp_path, seeds=2)
    if library != "matplotlib":
        monkeypatch.setattr("genagents_env.study.report.writing._draw", lambda study: ([], ""))
    for name in list(sys.modules):
        if name.startswith(("genagents_env.study.report.figures",)):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)
    told: list[str] = []
    text = PageTags(write_report(known, tell=told.append)[0]).text
    assert any(words in line and format_install_command("lab") in line for line in told)
    assert all(line in text for line in told)
    assert not (tmp_path / absent).exists()
    assert (tmp_path / "means.csv").exists()


def test_what_repeats_a_study_has_its_changes(tmp_path: Path) -> None:
    runs = pair(tmp_path, seeds=1).runs
    page = format_study(study(tmp_path, runs, changes={"model": "<b>", "max_dollars": "2"}), ())
    assert "Changed by the command line: model = &lt;b&gt;." in page
    assert "max_dollars = 2." in page


def test_listed_cells_are_compared_with_the_one_that_is_the_baseline(tmp_path: Path) -> None:
    text = """name = "some"
scenario = "tiny"
only = [{ policy = "idle", hours = "0.1" }, { policy = "random", hours = "0.2" }]
baseline = { policy = "random", hours = "0.2" }
[factors]
policy = ["idle", "random"]
hours = [0.1, 0.2]
"""
    (tmp_path / "some.toml").write_text(text)
    folder = SweepFolder.create(tmp_path / "out", tmp_path / "some.toml")
    plan = make_study_plan(folder)
    assert plan.levels == {"condition": ("idle / 0.1", "random / 0.2")}
    assert plan.baseline == {"condition": "random / 0.2"}
    page = format_study(measure_study(folder), ())
    assert "each of these with every seed" in page


def test_a_report_made_twice_is_the_same_to_the_byte(tmp_path: Path) -> None:
    first = {path.name: path.read_bytes() for path in write_report(pair(tmp_path, seeds=3))}
    again = {path.name: path.read_bytes() for path in write_report(pair(tmp_path, seeds=3))}
    assert first == again
