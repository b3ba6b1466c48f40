"""A part of a town: which part it is, who is in it, and how large it is drawn."""

import numpy as np
import pytest

from genagents_env.scenario import lay_out, load_scenario
from genagents_env.show.render.closeup import Closeup
from genagents_env.show.render.fonts import Fonts
from genagents_env.show.render.views import FollowingView, list_places, view_place
from tests.show.render.towns import FRAME, NAMES, town

FONTS = Fonts(noto=False)
VILLE = lay_out(load_scenario("valentines_party"))


def test_places_are_listed_once_sectors_before_rooms() -> None:
    assert list_places(town()) == ["outside", "Inn", "Green", "Inn/hall", "Inn/den"]


@pytest.mark.parametrize("place", list_places(VILLE))
def test_every_place_of_smallville_is_whole_in_its_view(place: str) -> None:
    view = view_place(VILLE, place)
    shown = Closeup(VILLE, (), view, width=320, fonts=FONTS) if place == "Hobbs Cafe" else None
    rooms = [
        i for i, _ in enumerate(VILLE.arenas) if f"{VILLE.arena_id(i)}/".startswith(f"{place}/")
    ]
    ys, xs = np.nonzero(np.isin(VILLE.arena, rooms))
    x, y = view.find_middle(np.zeros((0, 2)))
    assert abs(x - (xs.min() + xs.max() + 1) / 2) < 1e-9
    assert x - view.columns / 2 <= xs.min()
    assert x + view.columns / 2 >= xs.max() + 1
    assert y - view.rows / 2 <= ys.min()
    assert y + view.rows / 2 >= ys.max() + 1
    assert 0.49 < view.rows / view.columns < 0.67
    assert shown is None or shown.size[0] == 320


def test_the_part_shows_those_who_are_there_and_what_they_do() -> None:
    closeup = Closeup(VILLE, NAMES, view_place(VILLE, "Hobbs Cafe"), listed=4, fonts=FONTS)
    wide, high = closeup.size
    x, y = (round(one) for one in closeup.view.find_middle(np.zeros((3, 2))))
    here = FRAME._replace(x=np.array([x, x + 1, VILLE.width - 1]), y=np.array([y, y, 0]))
    assert closeup.find_seen(here) == {0, 1}
    drawn = closeup.draw(here)
    assert drawn.shape == (high, wide, 3)
    below = drawn[-3 * 30 :]
    sweeping = closeup.draw(here._replace(doing=("sweeping", "", "")))
    assert not np.array_equal(sweeping[-3 * 30 :], below)
    gone = closeup.draw(here._replace(present=np.array([True, False, False])))
    assert (gone[-60:-30] != below[-60:-30]).any()
    spoken = closeup.draw(here, spoken=[(0, "Here!"), (2, "Far away!")])
    assert (spoken != closeup.draw(here, spoken=[(0, "Here!")])).sum() == 0
    assert (spoken != closeup.draw(here, spoken=[])).any()


def test_a_person_is_followed_without_jerks_and_never_lost() -> None:
    view = FollowingView(0)
    at = np.array([[20.0, 20.0]])
    assert view.find_middle(at) == (20, 20)
    before, moved = (20.0, 20.0), []
    for step in range(200):
        at = np.array([[20 + step * 0.2, 20 + step * 0.1]])
        x, y = view.find_middle(at)
        assert abs(x - at[0, 0]) < view.columns / 2 - 1
        assert abs(y - at[0, 1]) < view.rows / 2 - 1
        assert abs(x - before[0]) <= 0.2 + 1e-9
        moved.append((x, y) != before)
        before = (x, y)
        assert view.find_middle(at) == before
    assert not any(moved[:20])
    assert all(moved[100:])
    view.reset()
    assert view.find_middle(at) == tuple(at[0])
