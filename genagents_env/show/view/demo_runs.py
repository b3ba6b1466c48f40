"""The runs that come with the package, and the moment of each at which to begin looking."""

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType

from genagents_env.name_search import find_word


@dataclass(frozen=True, slots=True)
class DemoRun:
    """A shipped run.

    Attributes:
        file: its name in the folder of shipped runs.
        about: what one sees, in a line.
        moment: what an address says behind `#`.
    """

    file: str
    about: str
    moment: str

    @property
    def path(self) -> Path:
        """The run file."""
        return Path(str(files("genagents_env.show.view") / "runs" / self.file))


DEMOS = MappingProxyType(
    {
        "mystery": DemoRun(
            "murder_mystery.sqlite.xz",
            "Who murdered Ahmed Khan? Two who know a little and one who investigates put together "
            "what each has seen.",
            "t=1&play=5&z=26&p=Dmitri&follow=1&f=testimony",
        ),
        "day": DemoRun(
            "smallville_13_february.sqlite.xz",
            "A morning in Smallville: Isabella invites Klaus to a party, then Maria.",
            "t=204&play=20&z=26&p=Isabella&follow=1&f=party",
        ),
        "party": DemoRun(
            "smallville_14_february.sqlite.xz",
            "The party at Hobbs Cafe, on 14 February from five o'clock on.",
            "t=90&play=20&z=26&p=Klaus&follow=1",
        ),
    }
)
DEFAULT = "mystery"


def find_demo(name: str) -> DemoRun:
    """Return the shipped run of this name.

    Raises:
        ConfigError: there is none.
    """
    return DEMOS[find_word(name, DEMOS, "demo")]
