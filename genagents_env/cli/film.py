"""`genagents picture` and `film`: a recorded run to look at and to show."""

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from genagents_env.cli.options import NoProgress, RunFile
from genagents_env.cli.screen import say
from genagents_env.cli.sweep_progress import show_count
from genagents_env.errors import ConfigError
from genagents_env.files import find_inside, replace_file

if TYPE_CHECKING:
    from genagents_env.record import RunReader
    from genagents_env.record.pictures import FilmPace
    from genagents_env.render.words import FilmFrame

MOST_FRAMES = {".gif": 3_000, ".mp4": 30_000}
FASTEST = 36_000  # seconds of the town in a second: ten hours

Place = Annotated[
    str | None,
    typer.Option(metavar="PLACE", help='Only this part of the map: "Hobbs Cafe", or a room of it.'),
]
Follow = Annotated[
    str | None,
    typer.Option(metavar="PERSON", help="Only what is around this person, who is followed."),
]
Width = Annotated[
    int | None,
    typer.Option(
        min=320,
        max=3840,
        help="Pixels across. Left out: 900 with --place or --follow, else as `rgb_array` draws the "
        "whole town.",
    ),
]


def add_to(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.command()(picture)
    app.command()(film)


def picture(
    run_file: RunFile,
    at: Annotated[
        str | None,
        typer.Option(help="Town time: 17:10, or 2023-02-14T17:10; the last tick if left out."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The picture, a PNG; RUN-1710.png here if left out.")
    ] = None,
    place: Place = None,
    follow: Follow = None,
    width: Width = None,
) -> None:
    """Draw a moment of a run: who is where, does what, and says what.

    Examples: genagents picture run.sqlite --at 17:10

    genagents picture run.sqlite --at 17:10 --place "Hobbs Cafe" --out party.png
    """
    from PIL import Image

    from genagents_env.record import RunReader
    from genagents_env.record.pictures import PictureChoice, RunPictures
    from genagents_env.record.snapshots import RunSnapshots
    from genagents_env.record.town_times import find_last_tick, find_tick

    choice = PictureChoice(place, follow, width)
    if out is not None and out.suffix.lower() != ".png":
        raise ConfigError(f"--out {out}: a picture is a PNG; name it {out.with_suffix('.png')}")
    with RunReader(run_file) as run:
        tick = find_last_tick(run) if at is None else find_tick(run, at, "--at")
        path = out or find_inside(Path(), _name_picture(run_file, run, tick))
        image = Image.fromarray(RunPictures(RunSnapshots(run), choice).draw(tick))
        with replace_file(path) as file:
            image.save(file, "PNG")
        moment = f"{run.time(tick):%a %d %b %Y, %H:%M:%S}"
        say(f"{path}: {moment}, {image.width} x {image.height} pixels")


def film(
    run_file: RunFile,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The film: a .gif or an .mp4.")],
    first: Annotated[
        str | None,
        typer.Option("--from", help="Town time: 17:00, or 2023-02-14T17:00; else the start."),
    ] = None,
    last: Annotated[
        str | None, typer.Option("--to", help="Town time: 17:30; else the end.")
    ] = None,
    place: Place = None,
    follow: Follow = None,
    speed: Annotated[
        float, typer.Option(min=1, max=FASTEST, help="Seconds of the town in a second of the film.")
    ] = 60.0,
    fps: Annotated[
        int, typer.Option(min=1, max=60, help="Pictures a second; about, in a GIF.")
    ] = 12,
    read: Annotated[
        bool,
        typer.Option(
            "--read",
            help="Stand still whenever somebody in the picture speaks, until it can be read. "
            "Without it words stay as long, but the town goes on, and new words take the place of "
            "the speaker's last.",
        ),
    ] = False,
    reading_speed: Annotated[
        int, typer.Option(min=60, max=1000, help="Words a minute, for how long words stay.")
    ] = 238,
    words: Annotated[
        bool,
        typer.Option("--words/--no-words", help="Show what is said; hours in a second want none."),
    ] = True,
    width: Width = None,
    quiet: NoProgress = False,
) -> None:
    """Make a film of a part of a run, in which people walk smoothly and words stay to be read.

    A GIF holds of each picture what has changed; with --follow the map moves: an MP4 is smaller.

    Examples: genagents film run.sqlite --from 17:00 --to 17:30 party.mp4

    genagents film run.sqlite --from 17:00 --to 17:05 --place "Hobbs Cafe" --read party.gif

    genagents film run.sqlite --from 9:00 --to 10:00 --follow "Klaus Mueller" --speed 30 klaus.mp4
    """
    from genagents_env.record import RunReader
    from genagents_env.record.pictures import FilmPace, PictureChoice, RunPictures
    from genagents_env.record.snapshots import RunSnapshots
    from genagents_env.record.town_times import find_last_tick, find_tick
    from genagents_env.render.color_table import ColorTable
    from genagents_env.render.gif import write_gif
    from genagents_env.render.mp4 import check_encoder, write_mp4

    choice, pace = (
        PictureChoice(place, follow, width),
        FilmPace(fps, speed, read, reading_speed, words),
    )
    kind = out.suffix.lower()
    if kind not in MOST_FRAMES:
        raise ConfigError(f"{out}: a film is a .gif or an .mp4; name it {out.with_suffix('.gif')}")
    if kind == ".mp4":
        check_encoder()
    with RunReader(run_file) as run:
        begin = 0 if first is None else find_tick(run, first, "--from")
        end = find_last_tick(run) if last is None else find_tick(run, last, "--to")
        if begin >= end:
            raise ConfigError(
                f"--from {run.time(begin):%H:%M:%S} is not before --to {run.time(end):%H:%M:%S}"
            )
        _check_length(kind, run, end - begin, pace)
        pictures, length = RunPictures(RunSnapshots(run), choice), _Length()
        with show_count("drawing", quiet) as watch, _replace_whole(out) as draft:
            frames = _count_frames(pictures.film(begin, end, pace), begin, end, length, watch)
            if kind == ".gif":
                table = ColorTable(pictures.sample(begin, end))
                with open(draft, "wb") as file:
                    write_gif(frames, table, file)
            else:
                write_mp4(frames, fps, draft)
    megabytes = out.stat().st_size / 1e6
    say(f"{out}: {length.seconds:.1f} s, {length.frames:,} pictures, {megabytes:.2f} MB")


@dataclass(slots=True)
class _Length:
    """How long a film has become."""

    frames: int = 0
    seconds: float = 0.0


def _count_frames(
    frames: "Iterable[FilmFrame]",
    begin: int,
    end: int,
    length: _Length,
    watch: Callable[[int, int], None] | None,
) -> "Iterator[FilmFrame]":
    for frame in frames:
        length.frames += 1
        length.seconds += frame.seconds
        if watch is not None:
            watch(frame.tick - begin, end - begin)
        yield frame


@contextmanager
def _replace_whole(path: Path) -> Iterator[Path]:
    """Give a draft elsewhere, which takes the place of `path` once it is whole."""
    if not path.parent.is_dir():
        raise ConfigError(f"{path}: there is no folder {path.parent}; make it first")
    if path.is_dir():
        raise ConfigError(f"{path} is a folder; name a file")
    with tempfile.TemporaryDirectory(prefix="genagents-") as folder:
        draft = Path(folder) / f"film{path.suffix}"
        yield draft
        with open(draft, "rb") as source, replace_file(path) as file:
            shutil.copyfileobj(source, file)


def _check_length(kind: str, run: "RunReader", ticks: int, pace: "FilmPace") -> None:
    """Raise where a film would have more pictures than its kind is good for."""
    seconds, most = run.meta.seconds_per_tick, MOST_FRAMES[kind]
    frames = pace.count_frames(ticks, seconds)
    if frames <= most:
        return
    lasts = ticks * seconds / pace.speed / 60
    faster = (replace(pace, speed=speed) for speed in range(int(pace.speed) + 1, FASTEST + 1))
    good = (one for one in faster if one.count_frames(ticks, seconds) <= most)
    fast = next((f"say --speed {one.speed}, or " for one in good), "")
    raise ConfigError(
        f"that would be {frames:,} pictures, {lasts:.1f} minutes; at most {most:,} go into "
        f"{'a GIF' if kind == '.gif' else 'an MP4'}: {fast}take less with --from and --to"
    )


def _name_picture(run_file: Path, run: "RunReader", tick: int) -> str:
    from genagents_env.record.compressed import is_compressed

    plain = run_file.with_suffix("") if is_compressed(run_file) else run_file
    return f"{plain.stem}-{run.time(tick):%H%M}.png"
