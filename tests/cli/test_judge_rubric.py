import csv
import json
from pathlib import Path

import pytest

from genagents_env.record import canonical_hash
from genagents_env.study.judge import Verdicts
from tests.cli.conftest import Run
from tests.run.asked import write_run

MODEL = ("--model", "scripted:neighbour", "-q")
BELIEVABLE = ("--rubric", "believability")


@pytest.fixture
def runs(genagents: Run) -> list[str]:
    """Make two runs of one seed under two policies."""
    names = []
    for policy in ("idle", "random"):
        names.append(f"{policy}.sqlite")
        write_run(Path(names[-1]), policy=policy)
    return names


def test_answers_are_rated_once_and_summarized(genagents: Run, runs: list[str]) -> None:
    before = [canonical_hash(path) for path in runs]
    code, out, err = genagents("judge", *runs, *MODEL, *BELIEVABLE)
    assert (code, err) == (0, "")
    assert out.startswith("Judge scripted:neighbour: 90 of 90 verdicts, 90 of them new, 6 of")
    assert "Ratings:" in out
    assert "Fleiss' kappa" in out
    code, out, _ = genagents("judge", *runs, *MODEL, *BELIEVABLE, "--json")
    found = json.loads(out)
    assert [(one["before"], one["given"]) for one in found["judges"]] == [(90, 0)]
    assert [(one["condition"], one["n"]) for one in found["ratings"]] == [
        ("idle", 45), ("random", 45),
    ]  # fmt: skip
    assert [canonical_hash(path) for path in runs] == before
    assert len(Verdicts(Path("verdicts.jsonl"))) == 90


def test_pairs_are_compared_and_a_used_up_budget_goes_on(genagents: Run, runs: list[str]) -> None:
    command = ("judge", *runs, "--pairwise", *MODEL)
    code, out, err = genagents(*command, "--limit", "calls=7")
    assert (code, "7 of 30 verdicts" in out) == (3, True)
    again = "genagents judge idle.sqlite random.sqlite --pairwise --model scripted:neighbour"
    again += " --limit calls=7"
    assert "--limit calls=N raises it" in err
    assert f"; go on with `{again}`" in err
    code, out, err = genagents(*command)
    assert (code, err) == (0, "")
    assert "30 of 30 verdicts, 23 of them new" in out
    rankings = out.partition("Rankings:\n")[2].splitlines()
    assert "verdicts that flip with the order" in rankings[0]
    assert [line.split()[:4] for line in rankings[1:3]] == [
        ["believability", "scripted:neighbour", "tiny", name] for name in ("idle", "random")
    ]


def test_a_run_file_that_cannot_be_read_is_left_out(genagents: Run, runs: list[str]) -> None:
    Path("bad.sqlite").write_text("no run")
    asked = ("judge", "bad.sqlite", runs[0], *MODEL, *BELIEVABLE, "--repeats", "1")
    code, out, err = genagents(*asked)
    assert (code, "15 of 15 verdicts" in out) == (0, True)
    assert "bad.sqlite" in err
    assert "it is left out" in err


def test_a_sheet_goes_out_and_comes_back(genagents: Run, runs: list[str]) -> None:
    genagents("judge", *runs, *MODEL, "--rubric", "persona", "--repeats", "1")
    command = ("judge", *runs, "--rubric", "persona")
    code, out, err = genagents(*command, "--sheet", "s.csv")
    assert (code, err) == (0, "")
    assert out == "s.csv: 14 rows to fill in; s.txt tells raters how\n"
    assert "a whole number from 1 to 5" in Path("s.txt").read_text()
    code, _, err = genagents(*command, "--sheet", "s.csv")
    assert (code, "name another file" in err) == (2, True)
    out = genagents(*command, "--sheet", "t.csv", "--raters", "2", "--sample", "5")[1]
    assert [line.partition(":")[0] for line in out.splitlines()[:2]] == ["t-1.csv", "t-2.csv"]
    with Path("s.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    for k, row in enumerate(rows[:10]):
        row["rating"] = str(1 + k % 5)
    with Path("s.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=";")
        writer.writeheader()
        writer.writerows(rows)
    code, out, err = genagents(*command, "--read", "s.csv", "--by", "Ana")
    assert (code, err) == (0, "")
    told = "20 of 24 verdicts, 20 of them new, 10 of these given to the same answer elsewhere"
    assert out.startswith(f"Judge Ana: {told}\n")
    assert "Ana (human), scripted:neighbour" in out
    code, out, _ = genagents(*command, *MODEL, "--repeats", "1", "--json")
    (agreed,) = (one for one in json.loads(out)["agreements"] if one["sort"] == "others")
    assert (agreed["n"], len(Verdicts(Path("verdicts.jsonl")))) == (10, 30 + 20)


def write_asking() -> None:
    """Write the scenario `asking`, tiny with a question at both ends."""
    Path("asking").mkdir()
    question = '[[questions]]\nid = "tea"\ntext = "Is there tea?"\nwhen = "both"\n'
    head = 'extends = "tiny"\nname = "asking"\ntitle = "A question"\n'
    Path("asking/scenario.toml").write_text(head + question)


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_a_sweep_is_judged_as_its_experiment_says(genagents: Run) -> None:
    write_asking()
    Path("e.toml").write_text(
        'name = "minds"\nseeds = 2\nscenario = "asking"\nhours = 0.01\n'
        'model = "scripted:neighbour"\nembedder = "hashed"\n'
        '[factors]\npolicy = { one = "smallville", two = "lyfe" }\n'
        '[[judges]]\nname = "persona"\nrepeats = 2\n'
        '[[judges]]\nname = "believability"\nkind = "pairwise"\nrepeats = 1\n'
    )
    code, _, err = genagents("sweep", "e.toml", "--out", "d", "--workers", "1", "-q")
    assert code == 0, err
    assert len(Verdicts(Path("d/verdicts.jsonl"))) == 24
    code, out, err = genagents("judge", "d", "-q", "--json")
    assert code == 0, err
    found = json.loads(out)
    assert [one["before"] for one in found["judges"]] == [2 * 2 * 2 * 2, 2 * 2 * 2]
    assert [one["given"] for one in found["judges"]] == [0, 0]
    assert {one["condition"] for one in found["ratings"]} == {"one", "two"}
    assert {skill["name"] for skill in found["rankings"][0]["skills"]} == {"one", "two"}
    assert genagents("judge", "d", "--rubric", "persona", "--sheet", "s.csv")[0] == 0
    file = Path("d/experiment.toml")
    file.write_text(file.read_text().replace("one =", "first ="))  # the level, and no more
    code, out, err = genagents("sweep", "d", "-q")
    assert (code, out.count(" verdicts, 0 of them new")) == (0, 2), err
    found = json.loads(genagents("judge", "d", "-q", "--json")[1])
    assert {one["condition"] for one in found["ratings"]} == {"first", "two"}
    assert {skill["name"] for skill in found["rankings"][0]["skills"]} == {"first", "two"}
    assert len(Verdicts(Path("d/verdicts.jsonl"))) == 24
    assert "persona,first," in Path("d/ratings.csv").read_text()
    with Path("s.csv").open(encoding="utf-8-sig", newline="") as sheet:
        rows = list(csv.DictReader(sheet))
    filled = [{**row, "rating": "\uff13"} for row in rows]  # full width, as in Japanese
    with Path("s.csv").open("w", newline="") as sheet:
        writer = csv.DictWriter(sheet, list(rows[0]))
        writer.writeheader()
        writer.writerows(filled)
    code, out, err = genagents(
        "judge", "d", "--rubric", "persona", "--read", "s.csv", "--by", "Ana", "-q"
    )
    assert (code, out.startswith("Judge Ana: ")) == (0, True), err


@pytest.mark.usefixtures("in_process")
def test_judges_of_a_sweep_spend_of_its_total_however_often_they_are_asked(genagents: Run) -> None:
    write_asking()
    Path("e.toml").write_text(
        'name = "told"\nseeds = 2\nscenario = "asking"\nhours = 0.01\npolicy = "scripted"\n'
        "[budget]\ntotal = { calls = 5 }\n"
        '[[judges]]\nname = "believability"\nmodel = "scripted:neighbour"\nrepeats = 5\n'
    )
    code, out, err = genagents("sweep", "e.toml", "--out", "d", "--workers", "1", "-q")
    assert (code, "5 calls," in out) == (3, True), err
    assert "raise `total` in the experiment's [budget]" in err
    given = len(Verdicts(Path("d/verdicts.jsonl")))
    for again in (("sweep", "d", "-q"), ("judge", "d", "-q"), ("judge", "d", "-q", *BELIEVABLE)):
        assert genagents(*again)[0] == 3
        assert len(Verdicts(Path("d/verdicts.jsonl"))) == given
