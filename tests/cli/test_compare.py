"""One command lives the same hours with several policies and prints what came of it."""

import json
from pathlib import Path

import pytest

from genagents_env.record import RunReader, canonical_hash
from tests.cli.conftest import Run

ASKS = ("--model", "scripted:neighbour", "--embedder", "hashed", "--out", "out", "-q")
ALL = ("compare", "tiny", "--policies", "scripted,random,reactive,lyfe,smallville", *ASKS)


def read_rows(out: str) -> dict[str, list[str]]:
    """Return the cells of the table by policy, `0 of 1` as one."""
    rows = [line.replace(" of ", "/").split() for line in out.splitlines()[2:7]]
    return {row[0]: row[1:] for row in rows}


@pytest.mark.slow
def test_every_policy_has_a_row_of_what_it_did_and_what_it_took(genagents: Run) -> None:
    code, out, err = genagents(*ALL)
    assert (code, err) == (0, "")
    heads = out.splitlines()[1]
    for head in ("utterances", "conversations", "distance walked", "facts spread"):
        assert head in heads
    for head in ("calls", "tokens", "dollars", "fallbacks"):
        assert head in heads
    rows = read_rows(out)
    assert list(rows) == ["scripted", "random", "reactive", "lyfe", "smallville"]
    assert {row[0] for row in rows.values()} == {"finished"}
    for name in ("scripted", "random"):
        assert rows[name][5:9] == ["0", "0", "0", "0"]
    for name in ("reactive", "lyfe", "smallville"):
        assert int(rows[name][5]) > 0
        assert int(rows[name][6].replace(",", "")) > 100
    assert rows["scripted"][4] == "1/1", "Ada tells Ben of the tea"
    assert int(rows["scripted"][3]) > 5, "tiles walked"


@pytest.mark.slow
def test_a_row_is_the_run_of_that_policy_alone(genagents: Run) -> None:
    assert genagents("compare", "tiny", "--policies", "scripted", "--seed", "3", *ASKS)[0] == 0
    (mine,) = Path("out/runs").glob("*.sqlite")
    run = ("run", "tiny", "--seed", "3", "--interviews", "0", "--out", "one.sqlite", "-q")
    assert genagents(*run)[0] == 0
    assert canonical_hash(mine) == canonical_hash("one.sqlite")
    with RunReader(mine) as record:
        said = sum(event.kind == "say" for event in record.events())
    _, out, _ = genagents("compare", "tiny", "--policies", "scripted", "--seed", "3", *ASKS)
    assert read_rows(out)["scripted"][1] == str(said)


@pytest.mark.slow
def test_finished_runs_are_not_repeated_and_the_rest_continues(genagents: Run) -> None:
    code, out, err = genagents(*ALL, "--limit", "calls=20")
    assert code == 3
    assert "go on with `genagents sweep out`" in err
    before = read_rows(out)
    assert before["scripted"][0] == "finished"
    assert "finished" not in before["smallville"][0]
    inodes = {path: path.stat().st_ino for path in Path("out/runs").glob("*.sqlite")}
    times = {path: path.stat().st_mtime_ns for path in inodes if "scripted" in path.name}
    code, out, _ = genagents(*ALL)
    assert code == 0
    assert {row[0] for row in read_rows(out).values()} == {"finished"}
    assert all(path.stat().st_ino == inode for path, inode in inodes.items())
    assert all(path.stat().st_mtime_ns == time for path, time in times.items())
    whole = {path.name: canonical_hash(path) for path in Path("out/runs").glob("*.sqlite")}
    fresh = [word if word != "out" else "fresh" for word in ALL]
    assert genagents(*fresh)[0] == 0
    assert whole == {one.name: canonical_hash(one) for one in Path("fresh/runs").glob("*.sqlite")}


@pytest.mark.slow
def test_another_policy_later_is_the_only_new_work(genagents: Run) -> None:
    one = ("compare", "tiny", "--out", "out", "-q", "--json", "--policies")
    genagents(*one, "scripted")
    (first,) = Path("out/runs").glob("*.sqlite")
    time = first.stat().st_mtime_ns
    code, out, _ = genagents(*one, "random,scripted share=0.5,scripted")
    assert code == 0
    assert first.stat().st_mtime_ns == time
    found = json.loads(out)
    assert [row["policy"] for row in found["policies"]] == [
        "random",
        "scripted share 0.5",
        "scripted",
    ]
    assert found["scenario"] == "tiny"
    last = found["policies"][2]
    assert (last["facts_spread"], last["facts_could_spread"]) == (1, 1)
    assert Path(found["policies"][2]["file"]) == first


@pytest.mark.slow
def test_own_policies_and_scenarios_are_compared(genagents: Run) -> None:
    genagents("new", "pond")
    genagents("new-policy", "long_talk")
    given = ("compare", "pond", "--policies", "long_talk.py:LongTalk,idle", "--hours", "0.2")
    code, out, _ = genagents(*given, "-q")
    assert code == 0
    assert out.splitlines()[2].split()[:2] == ["LongTalk", "finished"]
    assert Path("sweeps/compare-pond/runs").is_dir()


@pytest.mark.slow
def test_all_that_come_with_the_package_are_compared_but_idle_and_human(genagents: Run) -> None:
    from genagents_env.run.policies import list_policies

    code, out, _ = genagents("compare", "tiny", "--hours", "0.02", *ASKS, "--json")
    assert code == 0
    names = [row["policy"] for row in json.loads(out)["policies"]]
    assert names == [name for name in list_policies() if name not in ("human", "idle")]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("tiny", "--policies", "scripted,scirpted"), "scirpted"),
        (("tiny", "--policies", ","), "no policy is named"),
        (("tiny", "--policies", "idle,idle"), "policy 'idle' comes twice"),
        (("tiny", "--policies", "lyfe paper"), "'paper': expected KEY=VALUE"),
        (("tniy",), "tiny"),
        (("tiny", "--hours", "-1"), "compare: hours: -1.0 is not allowed; more than 0 is"),
        (("tiny", "--hours", "nan"), "compare: hours: "),
        (("tiny", "--people", "Adda Brook"), "Ada Brook"),
        (("tiny", "--out", "there.txt"), "there.txt is a file"),
    ],
)
def test_a_wrong_request_is_refused_and_makes_nothing(
    arguments: tuple[str, ...], message: str, genagents: Run
) -> None:
    Path("there.txt").write_text("")
    code, _, err = genagents("compare", *arguments)
    assert code == 2
    assert message in err
    assert [path.name for path in Path().iterdir()] == ["there.txt"]


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
