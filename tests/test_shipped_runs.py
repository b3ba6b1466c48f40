"""Every run in `examples/runs` opens: it is whole, can be read, and lists what people answered."""

import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

from genagents_env.record import RunReader, canonical_hash, verify
from genagents_env.run import PolicySpec, run
from genagents_env.run.stepped_town import SteppedTown
from tests.cli.conftest import Run
from tests.cli.conftest import genagents as genagents
from tests.run.towns import FOUR, WITNESS, make_options, make_spec

FOLDER = Path(__file__).parents[1] / "examples" / "runs"
SHIPPED = sorted(
    path for path in FOLDER.glob("*.sqlite*") if path.suffix in (".sqlite", ".xz", ".gz")
)


def check_run(path: Path, genagents: Run) -> None:
    """Look at a run as whoever gets it would."""
    found = verify(path)
    assert found.whole, found
    assert found.status == "finished"
    code, out, _ = genagents("show", str(path))
    assert code == 0
    assert len(out.splitlines()) > 5
    code, out, err = genagents("interview", str(path), "--list")
    assert (code, err) == (0, "")
    assert out.startswith("Q: ")


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_a_shipped_run_opens_and_is_the_one_that_its_page_names(path: Path, genagents: Run) -> None:
    check_run(path, genagents)
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert path.name in page
    assert canonical_hash(path) in page


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_the_town_of_a_shipped_run_is_stepped_by_its_actions_to_its_end(path: Path) -> None:
    # Each tick's positions and events are compared with the record on the way.
    with RunReader(path) as run:
        town = SteppedTown(run)
        for tick in (0, 1, run.last_tick // 2, run.last_tick, 1):
            assert town.go_to(run, tick)
            seen = zip(run.meta.names, town.describe(), strict=True)
            assert all(text is None or f"You are {name}" in text for name, text in seen)


@pytest.mark.parametrize(("suffix", "pack"), [(".xz", lzma.compress), (".gz", gzip.compress)])
def test_a_compressed_run_opens_by_every_command_that_reads(
    suffix: str, pack: Callable[[bytes], bytes], tmp_path: Path, genagents: Run
) -> None:
    plain = tmp_path / "run.sqlite"
    spec = make_spec("valentines_party", 20, people=FOUR[:2], policy=PolicySpec(WITNESS))
    run(spec, plain, make_options())
    packed = tmp_path / f"run.sqlite{suffix}"
    packed.write_bytes(pack(plain.read_bytes()))
    plain.unlink()
    check_run(packed, genagents)
    asked = ("interview", str(packed), "--question", "Any news?", "--trust", "unchanged", "-q")
    code, out, err = genagents(*asked, "--model", "scripted")
    assert (code, err) == (0, "")
    assert out.count("A: ") == 2
    assert genagents("report", str(packed))[0] == 0
    code, _, err = genagents("resume", str(packed), "--hours", "1")
    assert code == 2
    assert "continue with a copy" in err
    assert sorted(file.name for file in tmp_path.iterdir()) == [packed.name]
