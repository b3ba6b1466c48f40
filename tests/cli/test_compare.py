"""One command lives the same hours with several policies and prints what came of it."""

import json
from pathlib import Path

import pytest

from genagents_env.record import RunReader, canonical_hash
from tests.cli.conftest import Run

pytestmark = pytest.mark.usefixtures("in_process")

ASKS = ("--model", "scripted:neighbour", "--embedder", "hashed", "--out", "out", "-q")
HEADS = ("utterances", "conversations", "facts spread", "calls", "tokens")


@pytest.mark.slow
def test_what_each_policy_did_and_took_is_a_row_and_what_stopped_goes_on(genagents: Run) -> None:
    every = ("compare", "tiny", "--policies", "scripted,random,reactive", *ASKS)
    code, out, err = genagents(*every, "--limit", "calls=5")
    assert code == 3
    assert "go on with `genagents sweep out`" in err
    stopped = read_rows(out)
    assert [row[0] == "finished" for row in stopped.values()] == [True, True, False]
    assert (stopped["reactive"][1], stopped["reactive"][5]) == ("-", "5")  # calls are known
    files = sorted(Path("out/runs").glob("*.sqlite"))
    times = {file: file.stat().st_mtime_ns for file in files if "reactive" not in file.name}
    code, out, _ = genagents(*every)
    assert code == 0
    assert all(head in out.splitlines()[1] for head in (*HEADS, "dollars", "fallbacks"))
    rows = read_rows(out)
    assert {row[0] for row in rows.values()} == {"finished"}
    assert [int(row[5]) > 0 for row in rows.values()] == [False, False, True]
    assert rows["scripted"][3:5] == ["1", "1"], "Ada tells Ben of the tea"
    assert int(rows["scripted"][1]) > 0, "utterances"
    assert len(times) == 2
    assert all(file.stat().st_mtime_ns == time for file, time in times.items())
    assert genagents(*(word if word != "out" else "fresh" for word in every))[0] == 0
    for file in files:
        assert canonical_hash(file) == canonical_hash(Path("fresh/runs") / file.name)


@pytest.mark.slow
def test_a_row_is_the_run_of_that_policy_and_one_named_later_the_only_new_work(
    genagents: Run,
) -> None:
    one = ("compare", "tiny", "--out", "out", "-q", "--json", "--seed", "3", "--policies")
    genagents(*one, "scripted")
    (first,) = Path("out/runs").glob("*.sqlite")
    run = ("run", "tiny", "--seed", "3", "--interviews", "0", "--out", "one.sqlite", "-q")
    assert genagents(*run)[0] == 0
    assert canonical_hash(first) == canonical_hash("one.sqlite")
    with RunReader(first) as record:
        said = sum(event.kind == "say" for event in record.events())
    time = first.stat().st_mtime_ns
    genagents("new-policy", "long_talk")
    code, out, _ = genagents(*one, "long_talk.py:LongTalk,scripted share=0.5,scripted")
    found = json.loads(out)["policies"]
    assert (code, first.stat().st_mtime_ns) == (0, time)
    assert [row["policy"] for row in found] == ["LongTalk", "scripted share 0.5", "scripted"]
    last = found[2]
    assert (last["facts_spread"], last["facts_could_spread"], last["utterances"]) == (1, 1, said)
    assert Path(last["file"]) == first


def read_rows(out: str) -> dict[str, list[str]]:
    """Return the cells of the table by policy."""
    rows = [line.split() for line in out.splitlines()[2:5]]
    return {row[0]: row[1:] for row in rows}


def test_a_study_made_of_a_comparison_is_not_overwritten(genagents: Run) -> None:
    again = ("compare", "tiny", "--policies", "idle,scripted", "--hours", "0.01", "--out", "both")
    assert genagents(*again)[0] == 0
    assert genagents(*again[:-4], "--hours", "0.02", "--out", "both")[0] == 0  # nobody changed it
    file = Path("both/experiment.toml")
    mine = file.read_text().replace("seeds = [0]", "seeds = 3")
    file.write_text(mine)
    code, _, err = genagents(*again)
    assert (code, "both/experiment.toml was changed since" in err) == (2, True)
    assert file.read_text() == mine


def test_a_comparison_that_is_refused_leaves_the_other_as_it_was(genagents: Run) -> None:
    own = ("compare", "tiny", "--policies", "reactive", "--hours", "0.02", *ASKS)
    assert genagents(*own)[0] == 0
    before = Path("out/experiment.toml").read_text()
    code, _, err = genagents(*own, "--model", "scripted")
    assert (code, "another folder (--out) keeps both" in err) == (2, True), err
    assert Path("out/experiment.toml").read_text() == before


@pytest.mark.slow
def test_all_that_come_with_the_package_are_compared_but_idle_and_human(genagents: Run) -> None:
    from genagents_env.run.policies import list_policies

    code, out, _ = genagents("compare", "tiny", "--hours", "0.02", *ASKS, "--json")
    assert code == 0
    names = [row["policy"] for row in json.loads(out)["policies"]]
    assert names == [name for name in list_policies() if name not in ("human", "idle")]
