"""Pictures and films of a recorded run: the town, a place of it, or what is around a person."""

from collections.abc import Iterator

from genagents_env.errors import ConfigError
from genagents_env.name_search import find_person, find_place
from genagents_env.show.render import RecordedTick
from genagents_env.show.render.closeup import Closeup
from genagents_env.show.render.film import FilmFrame, FilmPace, Pixels, WordsPainter, find_moments
from genagents_env.show.render.motion import Motion
from genagents_env.show.render.picture import Picture
from genagents_env.show.render.views import (
    FollowingView,
    MapView,
    list_places,
    view_place,
    view_town,
)
from genagents_env.show.snapshots import RunSnapshots

WIDTH = 900  # pixels of a picture of a part
NARROWEST, WIDEST = 320, 3840
LISTED = 4  # people of whom a picture of a part says what they do
LAST = 1.5  # seconds that the last frame is shown longer
SAMPLES = 8  # ticks whose colours those of a film are chosen from


class RunPictures:
    """Draws a run: all of the town, unless a place or a person is named.

    Args:
        snapshots: of the run, open for as long as this is used.
        place: a sector or arena, by its id or as `name_search` understands it.
        person: who is followed, likewise.
        width: of the picture, in pixels; None is that of `rgb_array` for the whole town, else 900.

    Raises:
        ConfigError: there is no such place or person, both are named, or such a width.
    """

    def __init__(
        self,
        snapshots: RunSnapshots,
        place: str | None = None,
        person: str | None = None,
        width: int | None = None,
    ) -> None:
        if place is not None and person is not None:
            raise ConfigError("name a place or a person to be shown, not both")
        if width is not None and not NARROWEST <= width <= WIDEST:
            raise ConfigError(
                f"a width of {width} pixels is not allowed; {NARROWEST} to {WIDEST} are"
            )
        self._snapshots, self._width = snapshots, width
        meta, plan = snapshots.run.meta, snapshots.plan
        self._person = None if person is None else find_person(person, meta.names)
        self._place = None if place is None else find_place(place, list_places(plan))
        self._view = self._find_view()
        self._painter = self._make_painter()

    def draw(self, tick: int) -> Pixels:
        """Return the picture of a tick, RGB, shape (height, width, 3).

        Raises:
            IndexError: the run has no such tick.
        """
        return self._draw_still(self._snapshots.find(tick))

    def sample(self, first: int, last: int) -> list[Pixels]:
        """Return some pictures from `first` to `last`, to choose the colours of a film from."""
        count = min(SAMPLES, last - first + 1)
        ticks = {first + round(k * (last - first) / max(1, count - 1)) for k in range(count)}
        snapshots = self._snapshots.read(first, last)
        return [self._draw_still(one) for one in snapshots if one.tick in ticks]

    def film(self, first: int, last: int, pace: FilmPace) -> Iterator[FilmFrame]:
        """Yield the frames from the end of tick `first` to that of `last`; people walk smoothly."""
        self._begin(film=True)
        snapshots, meta = self._snapshots, self._snapshots.run.meta
        seconds = meta.seconds_per_tick
        motion = Motion(snapshots.plan, meta.scenario.rules, seconds)
        moments = find_moments(snapshots.read(first, last), motion, pace.count_per_tick(seconds))
        painter = WordsPainter(self._painter, pace, seconds)
        before: FilmFrame | None = None
        for frame in filter(None, (painter.draw(*moment) for moment in moments)):
            if before is not None:
                yield before
            before = frame
        if before is not None:
            yield before._replace(seconds=before.seconds + LAST)

    def _draw_still(self, snapshot: RecordedTick) -> Pixels:
        self._begin(film=False)
        return self._painter.draw(snapshot)

    def _begin(self, *, film: bool) -> None:
        self._painter.people.keep_places(film)
        if isinstance(self._view, FollowingView):
            self._view.reset()

    def _find_view(self) -> MapView | None:
        """Return the part that is shown; None for the town as `rgb_array` shows it."""
        if self._person is not None:
            return FollowingView(self._snapshots.run.meta.names.index(self._person))
        if self._place is not None:
            return view_place(self._snapshots.plan, self._place)
        return None if self._width is None else view_town(self._snapshots.plan)

    def _make_painter(self) -> Picture | Closeup:
        plan, meta = self._snapshots.plan, self._snapshots.run.meta
        names, title = meta.names, meta.scenario.title
        sprites = [person.sprite for person in meta.scenario.people]
        if self._view is None:
            return Picture(plan, names, title=title, sprites=sprites)
        what = self._person or self._place
        return Closeup(
            plan,
            names,
            self._view,
            width=self._width or WIDTH,
            title=title if what is None else what.replace("/", ", "),
            line=title if what is not None else "",
            listed=LISTED if what is not None else 0,
            first=[names.index(self._person)] if self._person is not None else (),
            sprites=sprites,
        )
