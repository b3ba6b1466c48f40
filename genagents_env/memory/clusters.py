"""Clusters: which memories belong together, by similarity.

Source: Lyfe Agents (Kaiya et al. 2023), section A.3, which clusters by cosine before it merges.
The public release runs DBSCAN with one sample a cluster, which is single linkage.
"""

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from genagents_env.memory.columns import Floats, compare, unit_rows


def link(vectors: Floats, above: float) -> list[list[int]]:
    """Return the groups of vectors by single linkage.

    Two rows are in one group where their cosine, rounded to 5 decimals, is at least `above`, or
    where a chain of such pairs leads from one to the other.

    Args:
        vectors: shape (N, D), any scale; N may be 0. Memory and time grow with N squared.
        above: a cosine.

    Returns:
        Row numbers, ascending in each group; groups by their first row.

    Raises:
        ValueError: a vector is zero or not finite.
    """
    if not len(vectors):
        return []
    unit = unit_rows(np.asarray(vectors, dtype=np.float32))
    near = compare(unit, unit) >= above
    _, labels = connected_components(csr_array(near), directed=False)
    groups: dict[int, list[int]] = {}
    for row, label in enumerate(labels.tolist()):
        groups.setdefault(label, []).append(row)
    return list(groups.values())
