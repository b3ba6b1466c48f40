"""`genagents film`: a recorded run as a film, or a moment of it as a picture."""

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from genagents_env.cli.options import RunFile
from genagents_env.cli.progress import show_count
from genagents_env.cli.screen import say
from genagents_env.errors import ConfigError
from genagents_env.files import replace_file
from genagents_env.record import RunReader
from genagents_env.record.town_times import find_last_tick, find_tick
from genagents_env.show.pictures import RunPictures
from genagents_env.show.render.film import FilmFrame, FilmPace
from genagents_env.show.render.gif import ColorTable, write_gif
from genagents_env.show.render.mp4 import check_encoder, write_mp4
from genagents_env.show.snapshots import RunSnapshots

MOST_FRAMES = {".gif": 3_000, ".mp4": 30_000}
FASTEST = 36_000  # seconds of the town in a second: ten hours
_FPS = 12  # pictures a second; about, in a GIF
app = typer.Typer()


@app.command()
def film(
    run_file: RunFile,
    out: Annotated[
        Path, typer.Argument(metavar="OUT", help="A .gif or an .mp4, or a .png of one moment.")
    ],
    at: Annotated[
        str | None,
        typer.Option(help="For a .png: town time, 17:10 or 2023-02-14T17:10; else the end."),
    ] = None,
    first: Annotated[
        str | None,
        typer.Option("--from", help="Town time: 17:00, or 2023-02-14T17:00; else the start."),
    ] = None,
    last: Annotated[
        str | None, typer.Option("--to", help="Town time: 17:30; else the end.")
    ] = None,
    place: Annotated[
        str | None, typer.Option(help="Only this part of the map, such as a house or a room.")
    ] = None,
    follow: Annotated[
        str | None, typer.Option(metavar="PERSON", help="Only what is around this person.")
    ] = None,
    speed: Annotated[
        float, typer.Option(min=1, max=FASTEST, help="Seconds of the town in a second of the film.")
    ] = 60.0,
    read: Annotated[
        bool,
        typer.Option("--read", help="Stop while somebody speaks, for as long as reading takes."),
    ] = False,
    reading_speed: Annotated[
        int,
        typer.Option(min=60, max=1000, help="Words read in a minute; sets how long words stay."),
    ] = 238,
    words: Annotated[bool, typer.Option("--words/--no-words", help="Show what is said.")] = True,
    width: Annotated[
        int | None,
        typer.Option(
            min=320, max=3840, help="Width in pixels; by default 900 for a part of the map."
        ),
    ] = None,
) -> None:
    """Make a film of a part of a run, or a picture of a moment if OUT ends in .png.

    People walk smoothly, and words stay long enough to be read. With --follow the map moves, and
    an MP4 is smaller than a GIF.

    Examples: genagents film run.sqlite --from 17:00 --to 17:30 party.mp4

    genagents film run.sqlite --from 17:00 --to 17:05 --place "Hobbs Cafe" --read party.gif

    genagents film run.sqlite --at 17:10 --place "Hobbs Cafe" party.png
    """
    kind = out.suffix.lower()
    if kind not in (*MOST_FRAMES, ".png"):
        other = out.with_suffix(".gif")
        raise ConfigError(f"{out}: a film is a .gif or an .mp4, a picture a .png; name it {other}")
    still = kind == ".png"
    if (at is not None) if not still else (first is not None or last is not None):
        raise ConfigError("--at goes with a .png, --from and --to with a .gif or an .mp4")
    pace = FilmPace(_FPS, speed, read, reading_speed, words)
    with RunReader(run_file) as run:
        pictures = RunPictures(RunSnapshots(run), place, follow, width)
        if still:
            _draw_moment(run, pictures, at, out)
        else:
            _Film(run, pictures, pace, out).make(first, last)


def _draw_moment(run: RunReader, pictures: RunPictures, at: str | None, out: Path) -> None:
    from PIL import Image

    tick = find_last_tick(run) if at is None else find_tick(run, at, "--at")
    image = Image.fromarray(pictures.draw(tick))
    with replace_file(out) as file:
        image.save(file, "PNG")
    moment = f"{run.time(tick):%a %d %b %Y, %H:%M:%S}"
    say(f"{out}: {moment}, {image.width} x {image.height} pixels")


@dataclass(slots=True)
class _Film:
    """A film that is made, and how long it has become."""

    run: RunReader
    pictures: RunPictures
    pace: FilmPace
    out: Path
    frames: int = 0
    seconds: float = 0.0

    def make(self, first: str | None, last: str | None) -> None:
        """Write the film of the ticks between two town times."""
        run, is_gif = self.run, self.out.suffix.lower() == ".gif"
        if not is_gif:
            check_encoder()
        begin = 0 if first is None else find_tick(run, first, "--from")
        end = find_last_tick(run) if last is None else find_tick(run, last, "--to")
        if begin >= end:
            times = f"--from {run.time(begin):%H:%M:%S} is not before --to {run.time(end):%H:%M:%S}"
            raise ConfigError(times)
        self._check_length(end - begin)
        with show_count("drawing") as watch, _replace_whole(self.out) as draft:
            film = self.pictures.film(begin, end, self.pace)
            frames = self._count(film, begin, end, watch)
            if is_gif:
                table = ColorTable(self.pictures.sample(begin, end))
                with open(draft, "wb") as file:
                    write_gif(frames, table, file)
            else:
                write_mp4(frames, self.pace.fps, draft)
        megabytes = self.out.stat().st_size / 1e6
        say(f"{self.out}: {self.seconds:.1f} s, {self.frames:,} pictures, {megabytes:.2f} MB")

    def _count(
        self,
        frames: Iterable[FilmFrame],
        begin: int,
        end: int,
        watch: Callable[[int, int], None],
    ) -> Iterator[FilmFrame]:
        for frame in frames:
            self.frames += 1
            self.seconds += frame.seconds
            watch(frame.tick - begin, end - begin)
            yield frame

    def _check_length(self, ticks: int) -> None:
        """Raise where the film would have more pictures than its kind is good for."""
        kind, seconds = self.out.suffix.lower(), self.run.meta.seconds_per_tick
        pace, most = self.pace, MOST_FRAMES[kind]
        frames = pace.count_frames(ticks, seconds)
        if frames <= most:
            return
        minutes = ticks * seconds / pace.speed / 60
        faster = (replace(pace, speed=speed) for speed in range(int(pace.speed) + 1, FASTEST + 1))
        short = (pace for pace in faster if pace.count_frames(ticks, seconds) <= most)
        advice = next((f"say --speed {pace.speed}, or " for pace in short), "")
        raise ConfigError(
            f"that would be {frames:,} pictures, {minutes:.1f} minutes; at most {most:,} go into "
            f"{'a GIF' if kind == '.gif' else 'an MP4'}: {advice}take less with --from and --to"
        )


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
