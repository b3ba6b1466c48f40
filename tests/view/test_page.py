"""The page in a real browser: a run is opened, played, looked into and followed."""

from pathlib import Path

import pytest

from tests.view.browser import PHONE, WIDE, OpenPage


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_a_recorded_run_opens_without_an_error(
    size: tuple[int, int], open_page: OpenPage, valentines_run: Path
) -> None:
    watched = open_page(valentines_run, "#t=216&p=Klaus Mueller", size)
    town = watched.page.evaluate("() => window.town.at(216)")
    assert town["tick"] == 216
    assert town["present"] == [True, True, True]
    assert watched.page.title()
    watched.check()
