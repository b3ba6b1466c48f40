import json
from pathlib import Path

from genagents_env.record import (
    InterviewRow,
    JudgementRow,
    RememberedRow,
    RunMeta,
    RunReader,
    RunWriter,
    export,
)
from tests.record.lived import call, live


def test_export_is_one_json_object_a_line(path: Path, tmp_path: Path, meta: RunMeta) -> None:
    with RunWriter.create(path, meta) as writer:
        writer.cassette.put(*call(0))
        live(writer, 2)
        memory = RememberedRow(2, "Ada Brook", "tea", "Tea is on.", (1, 3))
        writer.commit_interviews(
            [InterviewRow(2, "Ada Brook", "News?", "No.", (1,), 2)], remembered=[memory]
        )
        writer.commit_judgement(
            JudgementRow("m", "says_so", 2, "Ada Brook", "News?", 2, None, "hm", 10, 1)
        )
    with RunReader(path) as run:
        files = export(run, tmp_path / "out")
        again = export(run, tmp_path / "out")
    assert files == again
    rows = {file.name: [json.loads(line) for line in file.open()] for file in files}
    names = (
        *("actions", "calls", "events", "interviews", "judgements"),
        *("notes", "remembered", "responses", "ticks"),
    )
    assert sorted(rows) == [f"{name}.jsonl" for name in names]
    assert rows["interviews.jsonl"] == [
        {"agent": "Ada Brook", "answer": "No.", "evidence": [1], "question": "News?", "repeat": 2}
        | {"tick": 2}
    ]
    assert rows["remembered.jsonl"] == [
        {"agent": "Ada Brook", "events": [1, 3], "fact": "tea", "text": "Tea is on.", "tick": 2}
    ]
    (judged,) = rows["judgements.jsonl"]
    assert (judged["judge"], judged["check"], judged["verdict"]) == ("m", "says_so", None)
    assert rows["events.jsonl"][3]["data"] == {"doing": "é 1"}
    assert rows["calls.jsonl"][0]["reply"] == '{"a":1}'
    assert rows["ticks.jsonl"][2] == {
        "tick": 2,
        "time": "2023-02-13T08:00:20",
        "positions": {name: [2, 2] for name in meta.names},
    }
    assert not list((tmp_path / "out").glob("*.part"))
