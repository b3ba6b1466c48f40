"""The gymnasium spaces of a town. Equal for all agents, built once, fast to check and sample."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from genagents_env.text import is_clean

AnySpace: TypeAlias = spaces.Space[Any]
TEXT_LIMIT = 4000  # characters of an observation's text
_CHARSET = "".join(chr(c) for c in range(32, 127)) + "\n"


class CleanText(spaces.Text):
    """Text of at most `max_length` characters, all printable or a line feed.

    `contains` is a length and a printability test (gymnasium's own loops over characters and its
    charset would have to list all of Unicode). `sample` draws short ASCII text.
    """

    def __init__(self, max_length: int, seed: int | None = None) -> None:
        super().__init__(max_length, min_length=0, charset=_CHARSET, seed=seed)

    def contains(self, x: object) -> bool:
        """Return True if `x` is clean text of an allowed length."""
        return isinstance(x, str) and len(x) <= self.max_length and is_clean(x)

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """Return up to 40 random ASCII characters; a mask or probability goes to gymnasium's."""
        if mask is not None or probability is not None:
            return str(super().sample(mask, probability))
        length = int(self.np_random.integers(0, min(40, self.max_length) + 1))
        return "".join(_CHARSET[k] for k in self.np_random.integers(0, 95, length).tolist())


def action_space(choices: int, utterance: int, *, words: bool) -> AnySpace:
    """Return `Discrete(choices)`, or with `words` `Dict(choice=Discrete, message=Text)`."""
    choice = spaces.Discrete(choices)
    if not words:
        return choice
    return spaces.Dict(choice=choice, message=CleanText(utterance))


def observation_space(numbers: int, choices: int, *, words: bool, text: bool = True) -> spaces.Dict:
    """Return `Dict(observation=Box(numbers,), text=Text)`; the menu format adds `action_mask`."""
    parts: dict[str, AnySpace] = {"observation": spaces.Box(-1.0, 1.0, (numbers,), np.float32)}
    if text:
        parts["text"] = CleanText(TEXT_LIMIT)
    if not words:
        parts["action_mask"] = spaces.MultiBinary(choices)
    return spaces.Dict(parts)


def state_space(numbers: int) -> spaces.Box:
    """Return the space of the global state: `Box(numbers,)`, float32 in [-1, 1]."""
    return spaces.Box(-1.0, 1.0, (numbers,), np.float32)


Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.int8]
