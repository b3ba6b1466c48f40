import json
from pathlib import Path

from genagents_env.record import RunWriter
from tests.cli.conftest import Run
from tests.record.lived import live, make_meta
from tests.study.evaluate.test_prompt_shares import LONG, cut, prompt
from tests.study.report.planted import cake


def write(path: Path) -> None:
    """Write a run of one prompt, which lost lines of the talk."""
    with RunWriter.create(path, make_meta()) as writer:
        live(writer, 0)
        prompt(writer, "talk.speak", LONG, 100)
        writer.commit_interviews([], notes=[cut(1, "talk.speak", '{"talk": 3}')])
        writer.set_status("finished")


def test_prompts_are_listed_by_purpose_and_counted_over_several_runs(
    genagents: Run, tmp_path: Path
) -> None:
    for name in ("one.sqlite", "two.sqlite"):
        write(tmp_path / name)
    code, out, _ = genagents("prompts", "one.sqlite", "two.sqlite")
    assert code == 0
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert lines[0] == "Prompts by purpose:"
    assert any(line.startswith("talk.speak 2 100 100 ") for line in lines)
    assert any("memories " in line for line in lines[1:])
    assert any(line.endswith("talk 6 in 2") for line in lines), "lines lost in so many prompts"
    with RunWriter.create(tmp_path / "none.sqlite", make_meta()) as writer:
        live(writer, 0)
    assert genagents("prompts", "none.sqlite")[:2] == (0, "no model was asked\n")
    code, out, _ = genagents("prompts", "one.sqlite", "--json")
    told = json.loads(out)
    assert (code, told["runs"]) == (0, ["one.sqlite"])
    assert [one["purpose"] for one in told["prompts"]] == ["talk.speak", "all"]
    assert told["prompts"][0]["cuts"]["sections"] == [{"section": "talk", "prompts": 1, "lines": 3}]


def test_show_and_report_caution_where_prompts_lost_lines(genagents: Run, tmp_path: Path) -> None:
    for name in ("cut.sqlite", "whole.sqlite"):
        cake(tmp_path / name)
    with RunWriter.open(tmp_path / "cut.sqlite") as writer:
        writer.commit_interviews([], notes=[cut(60, "talk.speak", '{"talk": 3}')])
    caution = "CUT: 1 of 5 prompts had no room for all lines of a section: talk (1)"
    assert f"genagents: {caution}" in genagents("show", "cut.sqlite")[2]
    assert "CUT" not in genagents("show", "whole.sqlite")[2]
    assert caution in genagents("report", "cut.sqlite")[1]
    told = json.loads(genagents("report", "cut.sqlite", "--json")[1])
    assert told["prompt_cuts"]["cut"] == 1
    assert "prompt_cuts" not in json.loads(genagents("report", "whole.sqlite", "--json")[1])
    several = genagents("report", "cut.sqlite", "whole.sqlite")[1]
    assert "in 1 run more than 1 % of the prompts had no room" in several
    assert "(talk)" in several
    assert "cut.sqlite" in several.splitlines()[-1]
