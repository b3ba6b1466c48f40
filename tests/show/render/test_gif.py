"""A GIF holds the pictures of a film, their colours and how long each is shown."""

from io import BytesIO

import numpy as np
from PIL import Image

from genagents_env.show.render.film import FilmFrame, Pixels
from genagents_env.show.render.gif import COLORS, ColorTable, write_gif

LAWN = np.full((40, 60, 3), (214, 228, 199), np.uint8)


def put(pixels: Pixels, x: int, color: tuple[int, int, int]) -> Pixels:
    changed = pixels.copy()
    changed[10:14, x : x + 4] = color
    return changed


def decode(film: bytes) -> list[tuple[Pixels, int]]:
    image, found = Image.open(BytesIO(film)), []
    for at in range(image.n_frames):  # type: ignore[attr-defined]
        image.seek(at)
        found.append((np.asarray(image.convert("RGB")), int(image.info["duration"])))
    return found


def encode(*frames: tuple[Pixels, float]) -> bytes:
    file = BytesIO()
    table = ColorTable([pixels for pixels, _ in frames])
    write_gif((FilmFrame(pixels, seconds, 0) for pixels, seconds in frames), table, file)
    return file.getvalue()


def test_a_gif_holds_every_picture_and_its_time() -> None:
    shown = [(put(LAWN, x, (200 - x, 20, x)), 0.1 + x / 100) for x in range(0, 50, 5)]
    found = decode(encode(*shown))
    assert len(found) == 10
    for (pixels, seconds), (true, milliseconds) in zip(shown, found, strict=True):
        assert np.array_equal(pixels, true)
        assert milliseconds == round(seconds * 1000)


def test_pictures_that_change_nothing_take_no_room() -> None:
    still = encode((LAWN, 0.5), (put(LAWN, 5, (1, 2, 3)), 0.5))
    many = encode((LAWN, 0.25), *[(LAWN, 0.025)] * 10, (put(LAWN, 5, (1, 2, 3)), 0.5))
    assert len(many) == len(still)
    assert [time for _, time in decode(many)] == [500, 500]


def test_odd_times_add_up() -> None:
    shown = [(put(LAWN, x % 50, (x, 0, 0)), 1 / 12) for x in range(120)]
    assert sum(time for _, time in decode(encode(*shown))) == 10_000


def test_only_what_changes_is_written() -> None:
    noise = np.random.default_rng(3).integers(0, 4, (200, 300, 1), np.uint8)
    ground = np.repeat(noise * 60, 3, axis=2)
    one, two = encode((ground, 1.0)), encode((ground, 1.0), (put(ground, 5, (1, 2, 3)), 1.0))
    assert len(two) - len(one) < 100
    assert len(one) > 5000


def test_colors_that_are_frequent_are_kept_and_small_things_nearly() -> None:
    shades = np.linspace(0, 255, 200 * 300).astype(np.uint8).reshape(200, 300)
    blurred = np.stack([shades, 255 - shades, shades // 2], axis=2)
    blurred[:100] = (250, 247, 240)
    blurred[50:54, 50:54] = (200, 20, 20)
    table = ColorTable([blurred])
    found = table.colors[table.find_indices(blurred)]
    assert table.colors.shape == (COLORS, 3)
    assert np.array_equal(found[:50], blurred[:50])
    away = np.abs(found.astype(int) - blurred)
    assert away.max() < 12
    assert away[50:54, 50:54].max() < 6
