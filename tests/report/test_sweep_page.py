import csv
import hashlib
import json
import re
import sys
from pathlib import Path

import pytest

from genagents_env.errors import ConfigError
from genagents_env.extras import format_install_command
from genagents_env.report import write_report
from genagents_env.report.results import SweepResults
from genagents_env.report.trial import TimedAnswer
from tests.report.page_tags import PageTags
from tests.report.planted_sweep import condition, narrative, pair, run, sweep

EVIL = "<script>alert('x')</script> & <img src=x onerror=alert(1)> | `*_[a](b) $x$ \x1b[31m"


def rows(path: Path) -> list[list[str]]:
    return list(csv.reader(path.read_text().splitlines()))


def test_a_report_holds_the_question_the_finding_every_table_and_figure(tmp_path: Path) -> None:
    known = pair(tmp_path)
    first, *others = write_report(known)
    names = {path.relative_to(tmp_path).as_posix() for path in (first, *others)}
    assert first == tmp_path / "report.html"
    tabled = ("means", "contrasts", "runs", "values", "measures", "identities", "versions")
    assert {f"{name}.csv" for name in tabled} <= names
    assert {f"{name}.parquet" for name in ("runs", "values", "contrasts")} <= names
    drawn = ("bars", "diffusion", "partners", "places", "tradeoff")
    assert {"figures/differences.png", *(f"figures/{name}_cake_1.png" for name in drawn)} <= names
    page = PageTags(first)
    for words in ("Does the mind change how far", known.finding, "paired by seed", "16 finished"):
        assert words in page.text
    images = page.all("img", "src")
    assert len(images) == len(drawn) + 1
    assert all(source.startswith("data:image/png;base64,") for source in images)
    text = (tmp_path / "report.md").read_text()
    assert set(re.findall(r"\]\((figures/[a-z0-9_]+\.png)\)", text)) == {
        name for name in names if name.startswith("figures/")
    }
    told = json.loads((tmp_path / "report.json").read_text())
    assert told["found"] == known.finding
    assert len(told["runs"]) == 16


@pytest.mark.usefixtures("unpictured")
def test_the_planted_numbers_stand_in_the_tables(tmp_path: Path) -> None:
    write_report(pair(tmp_path))
    head, first, *_ = rows(tmp_path / "means.csv")
    told = dict(zip(head, first, strict=True))
    assert (told["about"], told["measure"]) == ("primary", "Heard: crumbs")
    assert float(told["bare"]) == pytest.approx(0.215)
    assert float(told["full"]) == pytest.approx(0.53)
    assert float(told["full: low"]) < 0.53 < float(told["full: high"])
    assert told["full: n"] == "8"
    head, first, *_ = rows(tmp_path / "contrasts.csv")
    told = dict(zip(head, first, strict=True))
    assert float(told["difference"]) == pytest.approx(0.315)
    assert float(told["p after Holm"]) == pytest.approx(0.0078125)
    assert (told["n"], told["family"]) == ("8", "primary")
    strong = [own for tag, own in PageTags(tmp_path / "report.html").tags if tag == "tr" and own]
    assert strong == [{"class": "strong"}] * 2
    assert "| **primary** | **Heard: crumbs** | **share** |" in (tmp_path / "report.md").read_text()


@pytest.mark.usefixtures("unpictured")
def test_every_run_is_one_click_away(tmp_path: Path) -> None:
    known = pair(tmp_path, seeds=2)
    write_report(known)
    page = PageTags(tmp_path / "report.html")
    links = [link for link in page.all("a", "href") if link.startswith("pages/")]
    assert len(links) == 4
    for link in links:
        own = PageTags(tmp_path / link)
        assert "Hello" in own.text
        assert "Ben did." in own.text
        assert "0123abcd" * 8 in own.text
        assert own.all("a", "href") == ["../report.html#runs"]
    anchors = {link.lstrip("#") for link in page.all("a", "href") if link.startswith("#")}
    assert anchors == set(page.all("section", "id"))


@pytest.mark.usefixtures("unpictured")
def test_a_stopped_run_is_marked_and_in_no_mean(tmp_path: Path) -> None:
    runs = [run(tmp_path, "bare", seed, {"heard.crumbs": 0.2}) for seed in range(2)]
    late = run(
        tmp_path,
        "bare",
        2,
        {"heard.crumbs": 0.9},
        state="stopped",
        status="budget_exhausted",
        problem="budget reached",
        hash="",
    )
    write_report(sweep(tmp_path, [*runs, late]))
    (head, first), told = rows(tmp_path / "means.csv")[:2], rows(tmp_path / "runs.csv")
    assert dict(zip(head, first, strict=True))["bare"] == "0.2"
    row = dict(zip(told[0], told[3], strict=True))
    assert (row["state"], row["Heard: crumbs"]) == ("stopped", "0.9")
    assert row["note"].startswith("budget_exhausted: budget reached; `genagents sweep --resume")
    page = PageTags(tmp_path / f"pages/{late.trial}.html")
    assert "This run is not finished; it is in no mean." in page.text
    values = rows(tmp_path / "values.csv")
    assert [one[7] for one in values if one[9] == "0.9"] == ["stopped"]


def test_nothing_finished_yet_makes_a_report_all_the_same(tmp_path: Path) -> None:
    blank: dict[str, object] = {
        "plot_data": None,
        "narrative": None,
        "usage": None,
        "hash": "",
        "tick": -1,
    }
    runs = [
        run(tmp_path, arm, seed, {}, **{**blank, "state": "due", "status": ""})
        for arm in ("bare", "full")
        for seed in range(2)
    ]
    broken = run(
        tmp_path,
        "full",
        2,
        {},
        **{**blank, "state": "damaged", "status": "", "problem": "torn file"},
    )
    paths = write_report(sweep(tmp_path, [*runs, broken]))
    page = PageTags(paths[0])
    assert "No run has finished yet" in page.text
    assert "4 due" in page.text
    assert "torn file" in page.text
    assert not page.all("img", "src")
    assert not (tmp_path / "contrasts.csv").exists()


@pytest.mark.usefixtures("unpictured")
def test_measures_without_a_value_are_named_below_the_means_unless_they_are_primary(
    tmp_path: Path,
) -> None:
    values = {"heard.crumbs": 0.5, "words": None, "tokens_per_hour": None}
    runs = [run(tmp_path, arm, seed, values) for arm in ("bare", "full") for seed in range(2)]
    write_report(sweep(tmp_path, runs, primary=("heard.crumbs", "words")))
    page = PageTags(tmp_path / "report.html")
    assert "Left out, without a value in any run: Tokens per hour." in page.text
    shown = [row[1] for row in page.rows if len(row) == 5 and row[0] == "primary"]
    assert shown == ["Heard: crumbs", "Words"]
    assert [row[1] for row in rows(tmp_path / "means.csv")[1:]] == [
        "Heard: crumbs",
        "Words",
        "Tokens per hour",
    ]


def test_one_seed_makes_a_report(tmp_path: Path) -> None:
    paths = write_report(pair(tmp_path, seeds=1))
    text = PageTags(paths[0]).text
    assert "0.2 (n=1)" in text
    assert "one pair: no interval and no test" in text


def hostile(folder: Path) -> SweepResults:
    told = narrative(
        findings=(EVIL,), happened=(EVIL,), answers=(TimedAnswer("Mon", EVIL, EVIL, 0, f"={EVIL}"),)
    )
    runs = [
        run(
            folder,
            "bare",
            seed,
            {f"heard.{EVIL}": 0.5},
            condition=condition(EVIL, EVIL, EVIL),
            narrative=told,
            problem=f"={EVIL}",
            unmeasured=(EVIL,),
            versions={EVIL: EVIL},
            trial=f"../../{EVIL}-s{seed}",
            file=folder / f"runs/{seed}.sqlite",
        )
        for seed in range(2)
    ]
    return sweep(folder, runs, primary=("heard",), question=EVIL, text=f"# {EVIL}\n```\n<b>x</b>")


def test_words_of_people_and_models_stay_words(tmp_path: Path) -> None:
    paths = write_report(hostile(tmp_path))
    assert all(path.resolve().is_relative_to(tmp_path) for path in paths)
    pages = [path for path in paths if path.suffix == ".html"]
    assert len(pages) == 3
    for path in pages:
        page = PageTags(path)
        page.check_inert()
        assert "alert('x')" in page.text
    text = (tmp_path / "report.md").read_text()
    before, code = text.split("````toml")
    assert "<script" not in before.replace("\\<", "")
    assert "```" not in before
    assert code.count("````") == 1
    for path in paths:
        if path.suffix == ".csv":
            cells = [cell for row in rows(path) for cell in row]
            assert not [cell for cell in cells if cell.startswith(("=", "@", "+"))], path


def test_a_second_report_replaces_its_own_files_and_no_others(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    kept = [tmp_path / name for name in ("runs/a.sqlite", "mine.csv", "log.jsonl", "base.json")]
    for path in kept:
        path.write_text("mine")
    write_report(pair(tmp_path))
    listed = json.loads((tmp_path / "report.json").read_text())
    sum_ = hashlib.sha256(b"mine").hexdigest()
    foreign = ["../a.sqlite", "runs/a.sqlite", "log.jsonl", "base.json"]
    listed["files"] |= {name: sum_ for name in foreign} | {"mine.csv": 7}
    (tmp_path / "report.json").write_text(json.dumps(listed))
    (tmp_path / "differences.csv").write_text("changed")
    told: list[str] = []
    bare = sweep(tmp_path, [run(tmp_path, "bare", 0, {"heard.crumbs": 0.5}, narrative=None)])
    write_report(bare, tell=told.append)
    assert all(path.read_text() == "mine" for path in kept)
    assert not (tmp_path / "figures/differences.png").exists()
    assert not list((tmp_path / "pages").iterdir())
    assert not (tmp_path / "contrasts.csv").exists()
    assert not list(tmp_path.glob(".report-*"))


@pytest.mark.usefixtures("unpictured")
def test_it_can_be_written_elsewhere(tmp_path: Path) -> None:
    known = pair(tmp_path / "sweep", seeds=1)
    paths = write_report(known, tmp_path / "else/where")
    assert paths[0] == tmp_path / "else/where/report.html"
    assert not (tmp_path / "sweep").exists()


@pytest.mark.usefixtures("unpictured")
def test_where_it_cannot_be_written_it_says_so_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = pair(tmp_path, seeds=1)
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
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


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
    for name in list(sys.modules):
        ours = ("genagents_env.report.figures", "genagents_env.report.figures")
        if name.startswith((*ours, "genagents_env.report.sweep_figures")):
            monkeypatch.delitem(sys.modules, name)
        if name == "genagents_env.report.figure_data":
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)
    paths = write_report(known)
    text = PageTags(paths[0]).text
    assert words in text
    assert format_install_command("lab") in text
    assert not (tmp_path / absent).exists()
    assert (tmp_path / "means.csv").exists()


@pytest.mark.usefixtures("unpictured")
def test_frames_hold_what_the_tables_hold(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    write_report(pair(tmp_path))
    values = pandas.read_parquet(tmp_path / "values.parquet")
    heard = values[values.measure == "heard.crumbs"].groupby("arm").value.mean()
    assert heard["full"] - heard["bare"] == pytest.approx(0.315)
    assert list(values.columns) == [
        *("trial", "condition", "arm", "scenario", "cast", "model", "seed", "state"),
        *("measure", "value"),
    ]
    assert len(pandas.read_parquet(tmp_path / "runs.parquet")) == 16
    contrasts = pandas.read_parquet(tmp_path / "contrasts.parquet")
    assert contrasts.p_holm[0] == pytest.approx(0.0078125)


def test_a_report_made_twice_is_the_same_to_the_byte(tmp_path: Path) -> None:
    first = {path.name: path.read_bytes() for path in write_report(pair(tmp_path, seeds=3))}
    again = {path.name: path.read_bytes() for path in write_report(pair(tmp_path, seeds=3))}
    assert first == again


@pytest.mark.usefixtures("unpictured")
def test_every_block_has_a_table_of_the_measures_it_has(tmp_path: Path) -> None:
    runs = [
        run(
            tmp_path,
            arm,
            seed,
            {f"heard.{fact}": 0.5, "words": 9.0},
            condition=condition(arm, town),
        )
        for town, fact in (("cake", "crumbs"), ("fair", "prize"))
        for arm in ("bare", "full")
        for seed in range(2)
    ]
    write_report(sweep(tmp_path, runs, primary=("heard",)))
    assert [row[1] for row in rows(tmp_path / "means_cake_1.csv")[1:]] == ["Heard: crumbs", "Words"]
    assert [row[1] for row in rows(tmp_path / "means_fair_2.csv")[1:]] == ["Heard: prize", "Words"]
    assert {row[1] for row in rows(tmp_path / "contrasts.csv")[1:]} == {"cake", "fair"}
