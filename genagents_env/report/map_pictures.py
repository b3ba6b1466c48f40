"""The moments of a run file as pictures of the map, each of the part in which it happens."""

from collections.abc import Iterator
from io import BytesIO

from PIL import Image

from genagents_env.evaluate.moments import ShownMoment
from genagents_env.evaluate.run_summary import RunSummary
from genagents_env.record import RunReader
from genagents_env.report.sections import FigureFile
from genagents_env.show.pictures import PictureChoice, RunPictures
from genagents_env.show.render.views import list_places
from genagents_env.show.snapshots import RunSnapshots

SECTION = "pictures"
_WHOLE = 1280  # pixels of a picture of the whole town


def draw_moments(summary: RunSummary, number: int) -> Iterator[FigureFile]:
    """Yield a picture of each moment of a run.

    Args:
        summary: of the run, whose file is read again.
        number: of the run in the report, from 1.

    Raises:
        RecordError: the file can no longer be read.
    """
    if not summary.moments:
        return
    with RunReader(summary.path) as run:
        snapshots = RunSnapshots(run)
        places = frozenset(list_places(snapshots.plan))
        for count, moment in enumerate(summary.moments, 1):
            choice = _choose_part(moment, summary, places)
            pixels = RunPictures(snapshots, choice).draw(moment.tick)
            buffer = BytesIO()
            Image.fromarray(pixels).save(buffer, "PNG", optimize=True)
            caption = f"{summary.format_time(moment.tick)}. {moment.caption}"
            yield FigureFile(SECTION, f"moment_{number}_{count}", caption, buffer.getvalue())


def _choose_part(moment: ShownMoment, summary: RunSummary, places: frozenset[str]) -> PictureChoice:
    """Return the place of a gathering, what is around who speaks, or else the whole town."""
    sector = moment.place.split("/")[0]
    if moment.reason == "gathering" and sector in places:
        return PictureChoice(place=sector)
    person = next((name for name in moment.agents if name in summary.people), None)
    return PictureChoice(width=_WHOLE) if person is None else PictureChoice(person=person)
