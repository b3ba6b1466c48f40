import json
import re
from pathlib import Path

import pytest
from PIL import Image

from genagents_env.evaluate.published import list_published_costs
from genagents_env.evaluate.rates import find_tariff
from genagents_env.evaluate.run_summary import RunSummary
from genagents_env.report import write_report
from genagents_env.report.run_results import group_summaries
from genagents_env.report.run_tables import make_run_tables, tabulate_costs
from tests.report.page_tags import PageTags
from tests.report.planted import ADA, BEN, cake, make_utterance, plant, scenario, study

EVIL = "<script>alert('x')</script> & <img src=x onerror=alert(1)>"


def write(folder: Path, *summaries: RunSummary) -> list[Path]:
    return write_report(group_summaries(summaries), folder)


def test_a_report_holds_every_table_and_figure(tmp_path: Path) -> None:
    priced_as = find_tariff("gpt-3.5-turbo")
    one = study(cake(tmp_path / "a.sqlite"), priced_as)
    other = study(cake(tmp_path / "b.sqlite", seed=2), priced_as)
    paths = write(tmp_path / "out", one, other)
    names = {path.relative_to(tmp_path / "out").as_posix() for path in paths}
    assert paths[0] == tmp_path / "out/report.html"
    assert all(path.stat().st_size for path in paths)
    tabled = (
        *("runs", "successes", "success_by_run", "agreement", "flow", "flow_by_agent"),
        *("preferences", "lengths", "costs", "cost_parts", "answers"),
    )
    assert {f"{name}.csv" for name in tabled} <= names
    drawn = (
        *("success_cake", "flow", "told_1", "answers_suspect_1_1", "affinity_suspect_1_1"),
        *("mentions_suspect_1", "lengths", "costs"),
    )
    assert {f"figures/{name}.png" for name in drawn} <= names
    page = PageTags(tmp_path / "out/report.html")
    images = [attributes["src"] or "" for tag, attributes in page.tags if tag == "img"]
    assert len(images) == sum(name.startswith("figures/") for name in names)
    assert all(source.startswith("data:image/png;base64,") for source in images)
    for words in (
        "Ada names Ben",
        "gpt-3.5-turbo",
        "public Smallville code",
        "Success solved",
        "by the",
    ):
        assert words in page.text
    text = (tmp_path / "out/report.md").read_text()
    linked = set(re.findall(r"\]\((figures/[a-z0-9_]+\.png)\)", text))
    assert linked == {name for name in names if name.startswith("figures/")}
    told = json.loads((tmp_path / "out/report.json").read_text())
    assert told["runs"][0]["rates"]["whole"]["calls"] == 4
    assert [one["name"] for one in told["published"]][1] == "Park et al. 2023"


def test_a_single_run_has_no_bars_no_dashes_and_no_column_that_tells_it_from_others(
    tmp_path: Path,
) -> None:
    path = cake(tmp_path / "a.sqlite", remembered=(), judged=(), model=None, price=None)
    write(tmp_path / "out", study(path))
    drawn = {one.stem for one in (tmp_path / "out/figures").glob("*.png")}
    assert not drawn & {"success_cake", "flow", "answers_suspect_1_1", "lengths", "costs"}
    assert "told_1" in drawn
    page = PageTags(tmp_path / "out/report.html")
    assert "(n=1)" not in page.text
    heads = [words for tag, words in page.words if tag == "th"]
    assert "run" not in heads
    assert "runs" not in heads
    assert "Also: paper Lyfe Agents: n 9, mean seconds 70.3" in page.text
    assert "model" not in heads
    assert "Left out, with nothing to show: model." in page.text
    assert ",model," in (tmp_path / "out/runs.csv").read_text().splitlines()[0]
    for row in page.rows:
        assert 2 * row.count("-") <= len(row), row


def test_it_is_told_who_told_whom_in_which_words_and_what_answers_rest_on(tmp_path: Path) -> None:
    before = "Ben, by the crumbs. " * 3
    path = cake(tmp_path / "a.sqlite", after={ADA: (before, before), BEN: ("Me.", "Not me.")})
    write(tmp_path / "out", study(path))
    page = PageTags(tmp_path / "out/report.html")
    text = " ".join(page.text.split())
    assert f"08:00:20 Cottage, kitchen {ADA} → to {BEN}" in text
    assert [words for tag, words in page.words if tag == "mark"] == ["Ben has crumbs."]
    assert f"Knew it from the start: {ADA}." in text
    assert f"{before.strip()} (in these words 2 times)" in text
    assert "Judged: suspect: Ben (arbiter); suspect: Ada (arbiter)" in text
    assert "Names no event that it rests on." in text
    told = json.loads((tmp_path / "out/report.json").read_text())["runs"][0]
    (telling,) = told["tellings"][0]["tellings"]
    assert (telling["teller"], telling["hearers"]) == (ADA, [BEN])
    assert telling["time"] == "2023-02-13T08:00:20"
    assert len(told["answers"]) == 8


def test_moments_are_shown_as_pictures_of_the_map_that_say_why(tmp_path: Path) -> None:
    write(tmp_path / "out", study(cake(tmp_path / "a.sqlite")), study(cake(tmp_path / "b.sqlite")))
    drawn = sorted((tmp_path / "out/figures").glob("moment_*.png"))
    assert [one.stem for one in drawn] == ["moment_1_1", "moment_1_2"]  # of the group's first run
    with Image.open(drawn[0]) as picture:
        assert picture.width == 900
    page = PageTags(tmp_path / "out/report.html")
    (first,) = [words for tag, words in page.words if words.startswith("08:00:20. ")]
    assert f"{ADA} tells {BEN} of “crumbs”, the first to hear it." in first
    assert first in page.all("img", "alt")


def test_a_page_allows_itself_nothing_but_its_own_pictures_and_style(tmp_path: Path) -> None:
    write(tmp_path / "out", study(cake(tmp_path / "a.sqlite")))
    page = PageTags(tmp_path / "out/report.html")
    (policy,) = [
        own["content"]
        for tag, own in page.tags
        if own.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policy == "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
    page.check_inert()
    assert not [own for _, own in page.tags if "style" in own]


def test_tables_scroll_and_break_no_word(tmp_path: Path) -> None:
    write(tmp_path / "out", study(cake(tmp_path / "a.sqlite")))
    page = (tmp_path / "out/report.html").read_text()
    assert page.count("<table>") == page.count('<div class="wide"')
    cells = page[page.index("th, td {") :].partition("}")[0]
    assert "overflow-wrap: normal" in cells
    assert "break-all" not in page
    assert "anywhere" not in page


def test_words_of_people_and_models_stay_words(tmp_path: Path) -> None:
    path = cake(
        tmp_path / "a.sqlite",
        scenario=scenario(success=()).model_copy(update={"title": EVIL}),
        happenings=(
            make_utterance(2, ADA, f"{EVIL} crumbs {EVIL}"),
            (2, "learn", BEN, {"fact": "crumbs", "cause": 2, "source": EVIL}),
            (3, "arrive", BEN, {"place": EVIL}),
        ),
        after={ADA: (EVIL, "Ben."), BEN: ("| a \n| b", "Ben.")},
        policies={who: {"name": EVIL, "config": {"x": EVIL}} for who in (ADA, BEN)},
        model=EVIL,
    )
    write(tmp_path / "out", study(path))
    page = PageTags(tmp_path / "out/report.html")
    page.check_inert()
    assert page.text.count(EVIL) >= 5
    text = (tmp_path / "out/report.md").read_text()
    assert "<script" not in text.replace("\\<", "")


@pytest.mark.usefixtures("unpictured")
def test_several_runs_stand_side_by_side_and_unfinished_ones_are_marked(tmp_path: Path) -> None:
    runs = (study(cake(tmp_path / "a.sqlite")), study(cake(tmp_path / "b.sqlite", status="paused")))
    write(tmp_path / "out", *runs)
    rows = (tmp_path / "out/runs.csv").read_text().splitlines()
    assert [row.split(",")[6] for row in rows] == ["status", "finished", "paused"]
    page = PageTags(tmp_path / "out/report.html")
    ids = [attributes["id"] for tag, attributes in page.tags if attributes.get("id")]
    links = [attributes["href"] or "" for tag, attributes in page.tags if tag == "a"]
    assert {link.lstrip("#") for link in links} == set(ids)
    assert {"run-1", "run-2"} <= set(ids)


def test_nothing_asked_said_or_called_makes_a_report_all_the_same(tmp_path: Path) -> None:
    bare = scenario(questions=(), facts=(), checks=(), success=())
    runs = (
        study(plant(tmp_path / "a.sqlite", 3, scenario=bare, model=None, price=None)),
        study(plant(tmp_path / "b.sqlite", 0, status="interrupted")),
    )
    paths = write(tmp_path / "out", *runs)
    names = [path.name for path in paths]
    assert "runs.csv" in names
    assert "answers.csv" not in names
    assert "successes.csv" not in names


def test_the_cost_table_has_runs_and_published_figures(tmp_path: Path) -> None:
    runs = [study(cake(tmp_path / "a.sqlite"))]
    found = tabulate_costs(runs, list_published_costs())
    rows = {str(row[0]): dict(zip(found.columns, row, strict=True)) for row in found.rows}
    ours = rows[f"{tmp_path}/a"]
    assert ours["calls/game hour"] == pytest.approx(12)
    assert ours["calls/hour in conversation"] == pytest.approx(90)
    assert ours["calls/utterance"] == 2
    assert ours["$/human hour"] == pytest.approx(0.0144)
    assert rows["Park et al. 2023"]["$/human hour"] == 25
    assert "Interviews and judging are left out" in found.note
    for one in make_run_tables(group_summaries(runs)):
        assert all(len(row) == len(one.columns) for row in one.rows), one.name
