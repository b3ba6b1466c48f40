"""Town times as people write them, and their ticks in a run."""

from datetime import datetime, time

from genagents_env.errors import ConfigError
from genagents_env.record.reader import RunReader


def find_last_tick(run: RunReader) -> int:
    """Return the last tick of a run.

    Raises:
        ConfigError: it has no tick yet.
    """
    if run.last_tick < 0:
        raise ConfigError(f"{run.path} has no tick yet; ask again once it has begun")
    return run.last_tick


def find_tick(run: RunReader, asked: str, option: str) -> int:
    """Return the tick of a town time within a run.

    Args:
        run: the record.
        asked: such as `08:30`, of the first day, or `2023-02-13T08:30`.
        option: that it was given for, for the error.

    Raises:
        ConfigError: it is not a time of the run, or the run has no tick yet.
    """
    moment = parse_time(run, asked)
    first, last = run.time(0), run.time(find_last_tick(run))
    if not first <= moment <= last:
        raise ConfigError(
            f"{option} {asked}: {run.path} has no {moment:%Y-%m-%dT%H:%M:%S}; it goes from "
            f"{first:%Y-%m-%dT%H:%M:%S} to {last:%Y-%m-%dT%H:%M:%S}"
        )
    return run.tick_at(moment)


def parse_time(run: RunReader, asked: str) -> datetime:
    """Return a town time; a clock time is of the run's first day.

    Raises:
        ConfigError: it is not a time.
    """
    try:
        clock = time.fromisoformat(f"0{asked}" if asked[1:2] == ":" else asked)  # 9:00 is 09:00
    except ValueError:
        try:
            return datetime.fromisoformat(asked).replace(tzinfo=None)
        except ValueError:
            raise ConfigError(
                f"{asked!r} is not a time; expected 08:30 or 2023-02-13T08:30"
            ) from None
    return datetime.combine(run.time(0).date(), clock.replace(tzinfo=None))
