import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.study.report.planted import cake, plant


def test_several_runs_are_compared_on_a_page_in_a_folder(genagents: Run) -> None:
    cake(Path("a.sqlite"))
    cake(Path("b.sqlite"), status="paused")
    code, out, _ = genagents("report", "a.sqlite", "b.sqlite", "a.sqlite")
    assert code == 0
    for title in ("Runs:", "Measures:", "What an agent costs:", "paused"):
        assert title in out
    told = json.loads(genagents("report", "a.sqlite", "b.sqlite", "--json")[1])
    assert [run["run"] for run in told["runs"]] == ["a.sqlite", "b.sqlite"]
    code, out, _ = genagents("report", "a.sqlite", "--out", "new/folder")
    assert (code, out) == (0, "new/folder/report.html\n")
    assert Path("new/folder/report.json").is_file()
    assert list(Path("new/folder/figures").glob("*.png"))


def test_what_nobody_said_or_spent_is_not_tabulated(genagents: Run) -> None:
    plant(Path("run.sqlite"), 3, model=None)
    for name in ("a", "b"):
        cake(Path(f"{name}.sqlite"), calls=(), model=None, price=None)
    one, several = genagents("report", "run.sqlite"), genagents("report", "a.sqlite", "b.sqlite")
    assert "Conversation length" not in one[1]
    assert "Runs:" in several[1]
    assert "What an agent costs" not in one[1] + several[1]
    assert genagents("report", "a.sqlite", "b.sqlite", "--out", "page")[0] == 0
    assert not Path("page/costs.csv").exists()


def test_several_files_of_which_one_is_no_run_make_no_page(genagents: Run) -> None:
    cake(Path("a.sqlite"))
    Path("empty.sqlite").touch()
    for other in ("missing.sqlite", "empty.sqlite"):
        code, out, err = genagents("report", "a.sqlite", other, "--out", "x")
        assert (code, out, len(err.splitlines()), other in err) == (2, "", 1, True)
    assert not Path("x").exists()


def test_report_of_a_run_shows_conversations_and_cost(genagents: Run) -> None:
    cake(Path("run.sqlite"))
    code, out, _ = genagents("report", "run.sqlite", "--price-as", "gpt-3.5-turbo")
    assert code == 0
    assert "Success solved" in out
    table = out[out.index("What an agent costs:") :].splitlines()
    assert (table[1].split()[0], table[2].split()[:2]) == ("run", ["run", "lyfe"])
    assert float(table[2].split()[-1]) == 0.0078  # 0.00026 dollars a third of an hour, ten times
    assert "Dollars as gpt-3.5-turbo" in out
    assert "a human hour is 10 game hours" in out
    code, out, _ = genagents("report", "run.sqlite", "--json")
    told = json.loads(out)
    assert told["status"] == "finished"
    assert told["rates"]["calls"] == 4
    assert told["talk"]["unended"] == 0


def test_tables_keep_to_the_width_of_the_terminal(
    genagents: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    cake(Path("a.sqlite"))
    cake(Path("b.sqlite"), seed=2)
    monkeypatch.setattr("genagents_env.cli.report.find_width", lambda: 80)
    for files in (["a.sqlite"], ["a.sqlite", "b.sqlite"]):
        lines = genagents("report", *files)[1].splitlines()
        tables = [line for line in lines if line.startswith("    ") and "  " in line.strip()]
        assert len(tables) > 10
        assert max(map(len, tables)) <= 80
