"""Pictures of people: PNG files of a scenario folder, kept in the scenario as text.

So that a scenario, and the run file that holds it, is complete in itself. Pictures alone show them;
they are no part of what happens, so nobody perceives them and no hash of a run depends on them.
"""

import base64
import binascii
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from genagents_env.scenario.faults import Fault, quote
from genagents_env.scenario.files import TOTAL_LIMIT, Folder, Unread, fold_name, read_bytes
from genagents_env.scenario.maps.grid import is_grid, read_grid
from genagents_env.scenario.schema import SPRITE_LIMIT, SPRITE_MARK
from genagents_env.text import fold

if TYPE_CHECKING:
    from PIL.Image import Image

KEY = "sprite"
SIDE = 256  # pixels
_ALLOWED = f"a PNG of at most {SIDE} x {SIDE} pixels and {SPRITE_LIMIT} bytes is allowed"


def attach_sprites(folder: Folder, path: Path) -> None:
    """Put the pictures that a folder or its map.grid names for people into its data."""
    people = folder.raw.get("people")
    if not isinstance(people, list):
        return
    _take_from_map(folder, people)
    for i, person in enumerate(people):
        name = person.get(KEY) if isinstance(person, dict) else None
        if not isinstance(name, str):
            continue
        try:
            png = read_sprite(path, name, TOTAL_LIMIT - folder.total)
        except Unread as error:
            del person[KEY]
            folder.refuse([Fault(("people", i, KEY), f"{quote(name)}: {error}")])
        else:
            folder.total += len(png)
            person[KEY] = encode_sprite(png)
    drawn = folder.origins.drawn
    for loc in [loc for loc in drawn if loc[0] == "people"]:
        del drawn[loc]  # people of another folder may come before them


def _take_from_map(folder: Folder, people: list[object]) -> None:
    """Give people the pictures that a map.grid names for them."""
    text = folder.raw.get("map")
    if not isinstance(text, str) or "[sprites]" not in text or not is_grid(text):
        return
    drawn, _ = read_grid(text)
    for name, file in drawn.sprites if drawn is not None else ():
        person = next((person for person in people if fold_name(person) == fold(name)), None)
        if not isinstance(person, dict):
            fault = Fault(("map", "sprites"), f"no person {quote(name)} in the scenario")
        elif person.setdefault(KEY, file) != file:
            what = f"{quote(name)} is {quote(file)} here, and in the scenario otherwise"
            fault = Fault(("map", "sprites"), f"{what}; say it in one of them")
        else:
            continue
        folder.refuse([fault])


def read_sprite(folder: Path, name: str, limit: int = SPRITE_LIMIT) -> bytes:
    """Read a picture in a folder.

    Raises:
        Unread: there is none, or it is not allowed; its text says what is.
    """
    missing = "there is no such file in the folder"
    try:
        data = read_bytes(folder.resolve(), name, min(limit, SPRITE_LIMIT) + 1, missing)
    except (OSError, ValueError) as error:
        raise Unread(f"cannot be read: {getattr(error, 'strerror', None) or _ALLOWED}") from None
    if len(data) > min(limit, SPRITE_LIMIT) or open_png(data) is None:
        raise Unread(_ALLOWED)
    return data


def encode_sprite(png: bytes) -> str:
    """Encode a picture as the text that a scenario holds."""
    return SPRITE_MARK + base64.b64encode(png).decode()


def decode_sprite(text: str) -> bytes:
    """Decode the text that a scenario holds to a PNG; empty if it is none."""
    try:
        return base64.b64decode(text.removeprefix(SPRITE_MARK), validate=True)
    except binascii.Error:  # of a run file that somebody wrote by hand
        return b""


def open_png(data: bytes) -> "Image | None":
    """Open a PNG with colours and transparency; None if it is none, or too large."""
    from PIL import Image

    try:
        image = Image.open(BytesIO(data), formats=["PNG"])
        if max(image.size) > SIDE:
            return None
        return image.convert("RGBA")
    except (OSError, ValueError, SyntaxError, MemoryError):  # what Pillow raises for broken files
        return None
