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
from genagents_env.scenario.files import TOTAL_LIMIT, Folder, Unread, read_bytes
from genagents_env.scenario.maps.grid import is_grid, read_grid
from genagents_env.scenario.schema import SPRITE_LIMIT, SPRITE_MARK
from genagents_env.text import fold

if TYPE_CHECKING:
    from PIL.Image import Image

KEY = "sprite"
SIDE = 256  # pixels
_ALLOWED = f"a PNG of at most {SIDE} x {SIDE} pixels and {SPRITE_LIMIT} bytes is allowed"


def attach_sprites(folder: Folder, path: Path) -> None:
    """Put the pictures that people of a folder name, there or in its map.grid, into its data."""
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
            fault = Fault(("people", i, KEY), f"{quote(name)}: {error}")
            folder.faults.append(folder.origins.render(fault))
        else:
            folder.total += len(png)
            person[KEY] = encode_sprite(png)
    for loc in [loc for loc in folder.drawn if loc[0] == "people"]:
        del folder.drawn[loc]  # who comes from another folder may stand before them


def _take_from_map(folder: Folder, people: list[object]) -> None:
    """Give people the pictures that a map.grid says stand for them."""
    text = folder.raw.get("map")
    if not isinstance(text, str) or "[sprites]" not in text or not is_grid(text):
        return
    drawn, _ = read_grid(text)
    for name, file in drawn.sprites if drawn is not None else ():
        person = next((one for one in people if _is_called(one, name)), None)
        if not isinstance(person, dict):
            fault = Fault(("map", "sprites"), f"no person {quote(name)} in the scenario")
        elif person.setdefault(KEY, file) != file:
            what = f"{quote(name)} is {quote(file)} here, and in the scenario otherwise"
            fault = Fault(("map", "sprites"), f"{what}; say it in one of them")
        else:
            continue
        folder.faults.append(folder.origins.render(fault))


def _is_called(person: object, name: str) -> bool:
    found = person.get("name") if isinstance(person, dict) else None
    return isinstance(found, str) and fold(found[:300]) == fold(name)


def read_sprite(folder: Path, name: str, limit: int = SPRITE_LIMIT) -> bytes:
    """Return a picture of a folder.

    Raises:
        Unread: there is none, or it is not allowed; its text says what is.
    """
    root = folder.resolve()
    where = (root / name).resolve()
    if where.is_relative_to(root) and not where.exists():
        raise Unread("there is no such file in the folder")
    try:
        data = read_bytes(root, name, min(limit, SPRITE_LIMIT) + 1)
    except (OSError, ValueError) as error:
        raise Unread(f"cannot be read: {getattr(error, 'strerror', None) or _ALLOWED}") from None
    if len(data) > min(limit, SPRITE_LIMIT) or open_png(data) is None:
        raise Unread(_ALLOWED)
    return data


def encode_sprite(png: bytes) -> str:
    """Return a picture as the text that a scenario holds."""
    return SPRITE_MARK + base64.b64encode(png).decode()


def decode_sprite(text: str) -> bytes:
    """Return the PNG of the text that a scenario holds; nothing where it is none."""
    try:
        return base64.b64decode(text.removeprefix(SPRITE_MARK), validate=True)
    except binascii.Error:  # of a run file that somebody wrote by hand
        return b""


def open_png(data: bytes) -> "Image | None":
    """Return a PNG as a picture with colours and transparency, None where it is none or large."""
    from PIL import Image

    try:
        image = Image.open(BytesIO(data), formats=["PNG"])
        if max(image.size) > SIDE:
            return None
        return image.convert("RGBA")
    except (OSError, ValueError, SyntaxError, MemoryError):  # what Pillow raises for broken files
        return None
