"""Dates and clocks as people say them, such as "tomorrow" and "5 pm", read from a moment."""

import re
from datetime import date, time, timedelta

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_NUMERALS = (
    *("one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
_ISO = re.compile(r"\b(\d{4})-(\d\d?)-(\d\d?)\b")
_MONTH = rf"({'|'.join(month[:3] for month in _MONTHS)})[a-z]*\.?"
_MONTH_DAY = re.compile(rf"\b{_MONTH}\s+(\d\d?)(?:st|nd|rd|th)?\b")
_DAY_MONTH = re.compile(rf"\b(\d\d?)(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}\b")
_DAY_ALONE = re.compile(r"\bthe (\d\d?)(?:st|nd|rd|th)\b")
_WEEKDAY = re.compile(rf"\b(next )?({'|'.join(day[:3] for day in _WEEKDAYS)})(?:[a-z]*day)?\b")
_IN_DAYS = re.compile(rf"\bin (\d\d?|a|{'|'.join(_NUMERALS)}) (day|week)s?\b")
_TODAY = re.compile(r"\b(?:today|tonight|now|this (?:morning|noon|afternoon|evening)|later)\b")
_HALF = r"(?:\s*([ap])\.?\s?m\b\.?)?"
_CLOCK = re.compile(
    rf"\b(\d\d?|{'|'.join(_NUMERALS)})(?:[:.h](\d\d))?(?:\s*o'clock)?{_HALF}"
    rf"(?:\s*(?:to|until|till|and|-|\u2013)\s*\d\d?(?:[:.]\d\d)?{_HALF})?"
)
_EVENING = re.compile(r"\b(?:afternoon|evening|night|tonight)\b")
_MORNING = re.compile(r"\bmorning\b")
_EARLIEST = 7  # "at five" is in the afternoon, "at eight" in the morning
_HALF_YEAR = 182  # days; a date further back than that is one of next year


def read_date(words: str, today: date) -> date | None:
    """Return the day that `words` name, seen from `today`; None where they name none.

    Such as `today`, `tomorrow`, `Friday`, `next Friday`, `14 February`, `the 14th`, `2023-02-14`,
    `in two days`. A weekday is the next of its name, today included.
    """
    said = words.strip().lower()
    if match := _ISO.search(said):
        return _make_date(int(match[1]), int(match[2]), int(match[3]))
    if match := _MONTH_DAY.search(said):
        return _find_in_year(match[1], int(match[2]), today)
    if match := _DAY_MONTH.search(said):
        return _find_in_year(match[2], int(match[1]), today)
    if "day after tomorrow" in said:
        return today + timedelta(days=2)
    if "tomorrow" in said:
        return today + timedelta(days=1)
    if match := _IN_DAYS.search(said):
        return today + timedelta(days=_read_number(match[1]) * (7 if match[2] == "week" else 1))
    if match := _WEEKDAY.search(said):
        names = [day[:3] for day in _WEEKDAYS]
        ahead = (names.index(match[2]) - today.weekday()) % 7
        return today + timedelta(days=7 if match[1] and not ahead else ahead)
    if match := _DAY_ALONE.search(said):
        return _find_in_months(int(match[1]), today)
    return today if _TODAY.search(said) else None


def read_clock(words: str) -> str:
    """Return the time of day that `words` name first, as HH:MM; empty where they name none.

    Of a stretch ("from 5 to 7 pm") it is the beginning.
    """
    said = words.strip().lower()
    if "noon" in said and "afternoon" not in said:
        return "12:00"
    if "midnight" in said:
        return "00:00"
    match = _CLOCK.search(said)
    if match is None:
        return ""
    hour, minute = _read_number(match[1]), int(match[2] or 0)
    half = match[3] or match[4] or ""
    if hour <= 12 and half:
        hour = hour % 12 + (12 if half == "p" else 0)
    elif 0 < hour < 12 and not (match[1].startswith("0") or _MORNING.search(said)):
        later = hour < _EARLIEST or _EVENING.search(said)
        hour += 12 if later else 0
    return f"{time(hour, minute):%H:%M}" if hour < 24 and minute < 60 else ""


def _read_number(word: str) -> int:
    """Read digits or a numeral; "a" is one."""
    if word.isdigit():
        return int(word)
    return _NUMERALS.index(word) + 1 if word in _NUMERALS else 1


def _make_date(year: int, month: int, day: int) -> date | None:
    """Return the date; None where the calendar has no such day."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _find_in_year(month: str, day: int, today: date) -> date | None:
    """Return the day of a month nearest ahead of `today`, or not long behind it."""
    number = [name[:3] for name in _MONTHS].index(month) + 1
    nearest = _make_date(today.year, number, day)
    if nearest is not None and (today - nearest).days > _HALF_YEAR:
        return _make_date(today.year + 1, number, day)
    return nearest


def _find_in_months(day: int, today: date) -> date | None:
    """Return the next day of that number, today included."""
    year, month = today.year, today.month
    for _ in range(12):
        nearest = _make_date(year, month, day)
        if nearest is not None and nearest >= today:
            return nearest
        year, month = (year, month + 1) if month < 12 else (year + 1, 1)
    return None
