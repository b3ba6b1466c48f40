"""`genagents film`: a run, or a part of the town, in files that are whole."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from genagents_env import town_v0
from genagents_env.record import RunWriter
from genagents_env.run import PolicySpec, RunOptions, run
from genagents_env.scenario import lay_out
from genagents_env.show.render.picture import Picture
from tests.cli.conftest import Run
from tests.record.lived import make_meta
from tests.run.towns import compose_spec


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return ten minutes of two people who do what comes to them in a cottage, from 09:00 on."""
    path = tmp_path_factory.mktemp("filmed") / "run.sqlite"
    run(compose_spec("tiny", policy=PolicySpec("random")), path, RunOptions())
    return str(path)


def open_pixels(file: str) -> np.ndarray:
    return np.asarray(Image.open(file).convert("RGB"))


def test_a_picture_is_that_of_rgb_array_at_that_time(genagents: Run, path: str) -> None:
    env = town_v0.parallel_env(scenario="tiny", render_mode="rgb_array")
    wide, high = Picture(lay_out(env.world.scenario), env.possible_agents).size
    code, out, err = genagents("film", path, "last.png")
    assert (code, err) == (0, "")
    assert out == f"last.png: Mon 13 Feb 2023, 09:10:00, {wide} x {high} pixels\n"
    assert genagents("film", path, "first.png", "--at", "09:00")[0] == 0
    env.reset(seed=0)
    shown = env.render()
    assert isinstance(shown, np.ndarray)
    assert np.array_equal(open_pixels("first.png"), shown)
    assert not np.array_equal(open_pixels("first.png"), open_pixels("last.png"))


def test_a_part_of_the_town_is_drawn_as_wide_as_asked_for_also_of_a_packed_run(
    genagents: Run, path: str, tmp_path: Path
) -> None:
    packed = tmp_path / "my.day.sqlite.gz"
    packed.write_bytes(gzip.compress(Path(path).read_bytes()))
    for run_file, name, wide, *part in (
        (str(packed), "cottage.png", 640, "--place", "Cottage", "--width", "640"),
        (path, "ada.png", 900, "--follow", "ada"),
        (path, "town.png", 640, "--width", "640"),
    ):
        assert genagents("film", run_file, name, *map(str, part))[::2] == (0, "")
        assert open_pixels(name).shape[1] == wide
    assert (open_pixels("town.png")[:300] != open_pixels("cottage.png")[:300]).any()


def test_a_gif_shows_people_walking_and_is_the_same_file_again(genagents: Run, path: str) -> None:
    part = ("--from", "09:00", "--to", "09:02", "--place", "Cottage", "--width", "480")
    for name in ("cottage.gif", "again.gif"):
        code, out, err = genagents("film", path, name, *part)
        assert (code, err) == (0, "")
    assert Path("cottage.gif").read_bytes() == Path("again.gif").read_bytes()
    film = Image.open("cottage.gif")
    assert f"again.gif: {2 + 1.5 + 1 / 12:.1f} s, 25 pictures," in out
    assert (film.size[0], film.info["loop"]) == (480, 0)
    assert 5 < film.n_frames <= 25  # type: ignore[attr-defined]
    shown = np.asarray(film.convert("RGB")).astype(int)
    genagents("film", path, "first.png", "--at", "09:00", *part[4:])
    assert np.abs(shown - open_pixels("first.png")).mean() < 0.5  # the same but for a few colours


@pytest.mark.parametrize("asked", [("x.png",), ("x.gif",)])
def test_a_run_that_has_not_begun_is_no_picture(
    asked: tuple[str, ...], genagents: Run, tmp_path: Path
) -> None:
    with RunWriter.create(tmp_path / "run.sqlite", make_meta()):
        code, _, err = genagents("film", "run.sqlite", *asked)
    assert (code, "run.sqlite has no tick yet; ask again once it has begun" in err) == (2, True)
    assert not list(tmp_path.glob("*.[pg][ni][gf]"))


def test_an_mp4_is_a_film(genagents: Run, path: str, tmp_path: Path) -> None:
    imageio = pytest.importorskip("imageio_ffmpeg", reason="the extra `pictures` brings it")
    part = ("--to", "09:01", "--place", "Cottage", "--width", "401")
    code, out, err = genagents("film", path, "cottage.mp4", *part)
    assert (code, err) == (0, "")
    assert "cottage.mp4: " in out
    frames, seconds = imageio.count_frames_and_secs(str(tmp_path / "cottage.mp4"))
    assert (frames, seconds) == (31, pytest.approx(31 / 12, abs=0.01))
    reader = imageio.read_frames(str(tmp_path / "cottage.mp4"))
    wide, high = next(reader)["size"]
    reader.close()
    assert wide == 402  # even, as H.264 wants it
    assert high % 2 == 0


def test_what_stops_a_film_leaves_no_half_of_it(
    genagents: Run, path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "x.gif").write_bytes(b"before")
    drawn = 0

    def fail(*_: object) -> float:
        nonlocal drawn
        drawn += 1
        if drawn > 12:
            raise OSError(28, "No space left on device")
        return 0.0

    monkeypatch.setattr("genagents_env.show.render.film.WordsPainter._add_words", fail)
    code, _, err = genagents("film", path, "x.gif", "--width", "320")
    assert code == 2
    assert "the disk is full" in err
    assert (tmp_path / "x.gif").read_bytes() == b"before"
    assert [file.name for file in tmp_path.iterdir()] == ["x.gif"]


def test_a_missing_encoder_is_named_with_its_install_command(
    genagents: Run, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("genagents_env.show.render.mp4.find_spec", lambda _: None)
    code, _, err = genagents("film", path, "x.mp4")
    assert code == 2
    assert "an MP4 needs imageio-ffmpeg: " in err
    assert err.rstrip().endswith("or write a .gif")
