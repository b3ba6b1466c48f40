"""Ownership: whose a room is, by its name: "Maria Lopez's room"."""

import re

from genagents_env.policy import Profile

_OWNER = re.compile(r"(.+?)['\u2019]s\b")


def find_owner_names(profile: Profile, place: str) -> set[str]:
    """Return the first and last names of those whom a place is named after, but for one's own."""
    own = {*profile.home.split("/"), *(profile.workplace or "").split("/")}
    owners = [_OWNER.match(part) for part in place.split("/") if part not in own]
    return {name for found in owners if found for name in found[1].split() if name.istitle()}
