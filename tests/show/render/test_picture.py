import subprocess
import sys
from datetime import datetime

import numpy as np
import pytest

from genagents_env.show.render.canvas import Boxes
from genagents_env.show.render.fonts import Fonts
from genagents_env.show.render.picture import Picture
from tests.show.render.towns import FRAME, NAMES, town


@pytest.fixture(scope="module", params=[True, False], ids=["noto", "plain"])
def picture(request: pytest.FixtureRequest) -> Picture:
    return Picture(town(), NAMES, title="Tiny", fonts=Fonts(request.param))


def test_a_picture_is_rgb_of_one_size(picture: Picture) -> None:
    first, second = picture.draw(FRAME), picture.draw(FRAME._replace(spoken=()))
    assert first.dtype == np.uint8
    assert first.ndim == 3
    assert first.shape[2] == 3
    assert first.shape == second.shape
    assert first.shape[1] > first.shape[0] // 2
    assert first.flags.writeable
    assert not np.shares_memory(first, second)


def test_the_same_tick_gives_the_same_picture(picture: Picture) -> None:
    assert (picture.draw(FRAME) == picture.draw(FRAME)).all()
    other = Picture(town(), NAMES, title="Tiny", fonts=picture.fonts)
    assert (picture.draw(FRAME) == other.draw(FRAME)).all()


def test_people_things_and_words_change_the_picture(picture: Picture) -> None:
    plain = picture.draw(FRAME)
    for change in (
        {"x": np.array([3, 9, 9])},
        {"asleep": np.array([True, False, True])},
        {"doing": ("sweeping", "watering the roses", "")},
        {"present": np.array([True, True, False])},
        {"spoken": ((0, "Good night, Ben!"),)},
        {"time": datetime.fromisoformat("2023-02-13T23:00")},
    ):
        assert (picture.draw(FRAME._replace(**change)) != plain).any(), change


def test_strange_text_is_drawn(picture: Picture) -> None:
    words = ((0, "漢字 " * 60 + "W" * 400), (1, "👩‍🎨 مرحبا"), (2, ""))
    picture.draw(FRAME._replace(spoken=words, emoji=("👩‍🎨", "�", "ab")))


def test_labels_avoid_each_other_and_stay_on_the_canvas() -> None:
    boxes = Boxes(100, 50, top=10)
    first = boxes.best([(90, 0, 120, 20)])
    assert first == (70, 10, 100, 30)
    second = boxes.best([(70, 10, 100, 30), (0, 10, 30, 30)])
    assert second == (0, 10, 30, 30)
    assert boxes.free([(60, 20, 80, 40), (40, 20, 60, 40)]) == (40, 20, 60, 40)
    assert boxes.free([(60, 20, 80, 40)]) is None


def test_the_text_frame_does_not_import_pillow() -> None:
    code = "import sys, genagents_env.show.render.ansi; sys.exit('PIL' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
