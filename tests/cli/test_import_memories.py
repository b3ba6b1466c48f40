from pathlib import Path

from genagents_env.record import RunReader
from genagents_env.scenario.past import read_pasts
from tests.cli.conftest import Run
from tests.memory.test_public_layout import write_person

MARIA, KLAUS = "Maria Lopez", "Klaus Mueller"
MINDS = (
    *("valentines_party", "--people", f"{MARIA},{KLAUS}", "--policy", "smallville", "-q"),
    *("--model", "scripted:neighbour", "--embedder", "hashed", "--interviews", "0"),
)
SECOND = ("--memories", "memories", "--start", "2023-02-14T16:00", "--hours", "0.02")


def test_a_second_window_begins_with_the_first(genagents: Run) -> None:
    code, _, err = genagents("run", *MINDS, "--start", "10:00", "--hours", "0.1")
    assert (code, err) == (0, "")
    code, out, err = genagents("import-memories", "run.sqlite", "--out", "memories")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith(f"{MARIA}: ")
    assert lines[0].endswith(" memories of up to Mon 13 Feb 2023 10:06")
    assert lines[-1] == "memories: 2 people"  # vectors of `hashed` are not worth keeping
    code, out, err = genagents("run", *MINDS, *SECOND, "--out", "second.sqlite")
    assert (code, err) == (0, "")
    total = sum(len(past.memories) for past in read_pasts(Path("memories")).values())
    assert f"2 people begin with {total} memories of up to Mon 13 Feb 10:06" in out
    with RunReader("second.sqlite") as record:
        assert [person.past is not None for person in record.meta.scenario.people] == [True, True]
    early = genagents("run", *MINDS, "--memories", "memories", "--start", "09:00", "--force")
    assert early[0] == 2
    assert "start then or later" in early[2]


def test_the_public_layout_is_taken_in(genagents: Run) -> None:
    for name in (MARIA, KLAUS):
        write_person(Path("personas"), name, name=name)
    code, out, err = genagents("import-memories", "personas", "--out", "memories")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        f"{KLAUS}: 4 memories of up to Mon 13 Feb 2023 10:00",
        f"{MARIA}: 4 memories of up to Mon 13 Feb 2023 10:00",
        "memories: 2 people; 4 vectors by text-embedding-ada-002",
    ]
    code, out, err = genagents("run", *MINDS, *SECOND)
    assert (code, err) == (0, "")
    assert "2 people begin with 8 memories of up to Mon 13 Feb 10:00" in out
    assert genagents("import-memories", "personas", "--out", "one", "--agent", MARIA)[0] == 0
    assert [*read_pasts(Path("one"))] == [MARIA]
