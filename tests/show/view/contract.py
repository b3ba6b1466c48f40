"""What web/src/protocol.ts says of each resource, read from it."""

import re
from functools import cache
from pathlib import Path

import genagents_env

PROTOCOL = Path(genagents_env.__file__).parent / "show" / "view" / "web" / "src" / "protocol.ts"


@cache
def read_interfaces() -> dict[str, tuple[str, ...]]:
    """Return the keys of each interface by its name."""
    text = PROTOCOL.read_text("utf-8")
    found = re.findall(r"^export interface (\w+) \{(.*?)^\}", text, re.M | re.S)
    return {name: tuple(re.findall(r"^  (\w+)\??: ", body, re.M)) for name, body in found}


def read_part() -> int:
    """Return the ticks in a part."""
    found = re.search(r"^export const PART = (\d+);", PROTOCOL.read_text("utf-8"), re.M)
    assert found is not None
    return int(found[1])


def check_keys(value: object, interface: str) -> None:
    """Fail unless a JSON object has the keys of an interface, all and no other."""
    assert isinstance(value, dict)
    assert sorted(value) == sorted(read_interfaces()[interface])
