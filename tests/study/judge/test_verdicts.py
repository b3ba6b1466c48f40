import json
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genagents_env.errors import FileError, RecordError, RunLocked
from genagents_env.record.rows import encode
from genagents_env.study.judge import Judgement, Verdicts, load_rubric
from genagents_env.study.judge.by_rubric import make_blank
from tests.study.judge.planted import answer

RUBRIC = load_rubric("persona")
PAIR = [answer("full"), answer("none")]
RATING = replace(make_blank(PAIR[:1], RUBRIC, "m", "model"), value=4, why="“ja” — sí 好")
COMPARISON = replace(make_blank(PAIR, RUBRIC, "m", "model"), value="tie")
ALL = [RATING, COMPARISON, replace(RATING, repeat=1, value=None)]


def read_verdicts(path: Path) -> list[Judgement]:
    with Verdicts(path) as verdicts:
        for one in ALL:
            verdicts.add(one)
    return list(Verdicts(path))


def test_what_is_added_is_there_and_what_is_known_is_not_written_twice(tmp_path: Path) -> None:
    path = tmp_path / "new" / "verdicts.jsonl"
    assert read_verdicts(path) == ALL
    size = path.stat().st_size
    assert read_verdicts(path) == ALL
    assert path.stat().st_size == size
    verdicts = Verdicts(path)
    assert verdicts.find(RATING) == RATING
    assert verdicts.find(replace(RATING, judge="other")) is None
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["value"] for line in lines] == [4, "tie", None]
    assert not (tmp_path / "new" / "verdicts.jsonl.lock").exists()


@given(cut=st.integers(0, 2000))
def test_wherever_a_crash_cuts_the_file_whole_lines_stay(
    tmp_path_factory: pytest.TempPathFactory, cut: int
) -> None:
    path = tmp_path_factory.mktemp("cut") / "v.jsonl"
    read_verdicts(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: min(cut, len(whole))])
    left = list(Verdicts(path))
    assert left == ALL[: len(left)]
    assert len(left) == whole[:cut].count(b"\n")
    assert read_verdicts(path) == ALL
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    "line",
    [
        *("{", "[]", "7", '{"kind": "opinion"}', "{} x"),
        encode({**asdict(RATING), "value": "first"}),
        encode({**asdict(COMPARISON), "value": 3}),
        encode({**asdict(RATING), "runs": ["one", "two"]}),
        encode({**asdict(COMPARISON), "texts": ["a", "b", "c"]}),
    ],
)
def test_a_line_that_is_no_verdict_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "v.jsonl"
    read_verdicts(path)
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(FileError, match=r"v\.jsonl, line 4: this is no verdict"):
        Verdicts(path)


def test_only_one_process_adds_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "v.jsonl"
    verdicts = Verdicts(path)
    with pytest.raises(RecordError, match="inside `with` only"):
        verdicts.add(RATING)
    code = (
        "import sys; from pathlib import Path; from genagents_env.study.judge import Verdicts\n"
        "with Verdicts(Path(sys.argv[1])): print('in', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"in\n"
        with pytest.raises(RunLocked, match=f"written by process {other.pid}"):
            verdicts.__enter__()
        other.kill()
    assert read_verdicts(path) == ALL
