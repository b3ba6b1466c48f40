import json
from pathlib import Path

from genagents_env.record import RunMeta, RunReader, RunWriter, export
from tests.record.lived import call, live


def test_export_is_one_json_object_a_line(path: Path, tmp_path: Path, meta: RunMeta) -> None:
    with RunWriter.create(path, meta) as writer:
        writer.cassette.put(*call(0))
        live(writer, 2)
    with RunReader(path) as run:
        files = export(run, tmp_path / "out")
        again = export(run, tmp_path / "out")
    assert files == again
    rows = {file.name: [json.loads(line) for line in file.open()] for file in files}
    assert sorted(rows) == ["calls.jsonl", "events.jsonl", "interviews.jsonl", "ticks.jsonl"]
    assert rows["events.jsonl"][3]["data"] == {"doing": "é 1"}
    assert rows["calls.jsonl"][0]["reply"] == '{"a":1}'
    assert rows["ticks.jsonl"][2] == {
        "tick": 2,
        "time": "2023-02-13T08:00:20",
        "positions": {name: [2, 2] for name in meta.names},
    }
    assert not list((tmp_path / "out").glob("*.part"))
