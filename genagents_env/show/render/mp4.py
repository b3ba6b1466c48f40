"""Films as MP4 (H.264), which needs the extra `pictures`: imageio-ffmpeg brings the encoder."""

from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from genagents_env.errors import ConfigError
from genagents_env.extras import format_install_command
from genagents_env.show.render.film import FilmFrame, Pixels

_QUALITY = ("-crf", "21", "-preset", "medium", "-tune", "animation", "-movflags", "+faststart")


def check_encoder() -> None:
    """Raise ConfigError where there is nothing to write MP4 with."""
    if find_spec("imageio_ffmpeg") is None:
        raise ConfigError(
            f"an MP4 needs imageio-ffmpeg: {format_install_command('pictures')}; or write a .gif"
        )


def write_mp4(frames: Iterable[FilmFrame], fps: int, path: Path) -> None:
    """Write a film, frame by frame as they come.

    Args:
        frames: at least one, all as large.
        fps: pictures a second; each frame is repeated for as long as it is shown.
        path: of the file; what is there is replaced.

    Raises:
        ConfigError: the encoder is missing, or refuses.
    """
    check_encoder()
    library, writer = import_module("imageio_ffmpeg"), None
    shown, now = 0, 0.0
    try:
        for frame in frames:
            pixels = _make_even(frame.pixels)
            if writer is None:
                high, wide = pixels.shape[:2]
                writer = library.write_frames(
                    str(path),
                    (wide, high),
                    fps=fps,
                    quality=None,
                    macro_block_size=1,
                    ffmpeg_log_level="error",
                    output_params=list(_QUALITY),
                )
                writer.send(None)
            now += frame.seconds
            for _ in range(shown, round(now * fps)):
                writer.send(pixels)
            shown = max(shown, round(now * fps))
    except OSError as error:
        raise ConfigError(f"the encoder of MP4 ended: {str(error)[:200]}; try a .gif") from None
    finally:
        if writer is not None:
            writer.close()


def _make_even(pixels: Pixels) -> Pixels:
    """Return a picture of even width and height, as H.264 wants it: the last line comes twice."""
    high, wide = pixels.shape[:2]
    if high % 2 or wide % 2:
        pixels = np.pad(pixels, ((0, high % 2), (0, wide % 2), (0, 0)), mode="edge")
    return np.ascontiguousarray(pixels)
