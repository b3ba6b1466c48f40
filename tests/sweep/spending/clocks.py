"""A clock that only a test moves."""


class Clock:
    """Seconds that pass when `now` is set."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now
