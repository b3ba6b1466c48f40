"""The moving picture of the README is there, small, and what its command in docs/runs.md makes."""

import re
import shlex
from pathlib import Path

import numpy as np
from PIL import Image

from genagents_env.record import RunReader
from genagents_env.record.town_times import find_tick
from genagents_env.show.pictures import RunPictures
from genagents_env.show.snapshots import RunSnapshots
from tests.cli.conftest import genagents as genagents

ROOT = Path(__file__).resolve().parent.parent
FILM = ROOT / "docs" / "hobbs_cafe.gif"
SHOWN = re.compile(r"<!-- film: docs/hobbs_cafe\.gif -->\n```bash\n(.+)\n```")


def read_command() -> list[str]:
    found = SHOWN.search((ROOT / "docs" / "runs.md").read_text("utf-8"))
    assert found is not None
    words = shlex.split(found[1])[1:]
    return [str(ROOT / word) if "/" in word else word for word in words]


def test_the_readme_begins_with_a_picture_that_a_page_has_room_for() -> None:
    lines = [line for line in (ROOT / "README.md").read_text("utf-8").splitlines() if line]
    assert re.fullmatch(r"!\[[^\]]{40,}\]\(docs/hobbs_cafe\.gif\)", lines[1])
    assert FILM.stat().st_size < 2_500_000
    film = Image.open(FILM)
    assert 800 <= film.size[0] <= 900
    assert film.size[1] <= 800
    assert film.n_frames > 30  # type: ignore[attr-defined]


def test_its_command_draws_the_same_first_picture() -> None:
    words = read_command()
    assert words[:1] + words[2:3] == ["film", str(FILM)]
    options = dict(zip(words[3::2], words[4::2], strict=False))
    with RunReader(words[1]) as run:
        town, width = RunSnapshots(run), int(words[-1])
        tick = find_tick(run, options["--from"], "--from")
        drawn = RunPictures(town, options["--place"], width=width).draw(tick)
    shown = np.asarray(Image.open(FILM).convert("RGB")).astype(int)
    assert np.abs(drawn - shown).mean() < 1
