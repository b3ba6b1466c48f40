"""Which person, place or object a column means that holds a number over how many there are."""

from collections.abc import Sequence

import numpy as np

from genagents_env.observe.columns import OBJECT_SLOTS, PERSON_SLOTS, describe_columns
from genagents_env.observe.spaces import Floats
from genagents_env.world.tiles import Ints

_AT = {column.name: column.index for column in describe_columns()}
SELF_INDEX, ROOM_INDEX = _AT["self.index"], _AT["room.index"]
PEOPLE_INDEX = tuple(_AT[f"person_{k + 1}.index"] for k in range(PERSON_SLOTS))
OBJECTS_INDEX = tuple(_AT[f"object_{k + 1}.index"] for k in range(OBJECT_SLOTS))


def read_index(vector: Floats, columns: Sequence[int], count: int) -> Ints:
    """Return the indices that `columns` of an observation hold, -1 for nobody and nothing.

    Args:
        vector: an observation, its last axis the columns.
        columns: where the numbers stand.
        count: how many people, places or objects there are.
    """
    found = np.rint(vector[..., list(columns)].astype(np.float64) * count) - 1
    return found.astype(np.int64)
