"""Opening hours as written in a scenario: `HH:MM-HH:MM`, which may pass midnight."""

import re

from genagents_env.scenario.plan import Hours

_HOURS = re.compile(r"([01]\d|2[0-4]):([0-5]\d)-([01]\d|2[0-4]):([0-5]\d)")
DAY = 1440  # minutes


def parse_hours(text: str) -> Hours:
    """Return the opening time written in `text`.

    Raises:
        ValueError: `text` is not `HH:MM-HH:MM`, passes 24:00, or opens and closes at one minute.
    """
    match = _HOURS.fullmatch(text)
    if match is None:
        raise ValueError(f'"{text}" is not written as "HH:MM-HH:MM", such as "17:00-22:00"')
    from_hour, from_minute, to_hour, to_minute = map(int, match.groups())
    start, end = from_hour * 60 + from_minute, to_hour * 60 + to_minute
    if start >= DAY or end > DAY:
        raise ValueError(f'"{text}" passes 24:00; it opens by 23:59 and closes by 24:00')
    if start == end:
        raise ValueError(f'"{text}" is empty; to be always open, leave `hours` out')
    return Hours(start, end if end > start else end + DAY)
