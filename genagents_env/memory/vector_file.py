"""A file of the vectors of texts, and the model that made them."""

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from genagents_env.errors import FileError
from genagents_env.files import check_growth, read_file, replace_file

LIMIT = 2 << 30  # bytes of a file
_HALF = np.dtype("<f2")


@dataclass(frozen=True)
class TextVectors:
    """The vectors of texts by one model: float16, little-endian, as in a run file."""

    model: str
    vectors: Mapping[str, bytes] = field(default_factory=dict)


def write_vectors(path: Path, kept: TextVectors) -> None:
    """Write vectors as a numpy archive without pickled objects.

    Raises:
        FileError: it cannot be written.
    """
    rows = [np.frombuffer(vector, dtype=_HALF) for vector in kept.vectors.values()]
    names = json.dumps({"model": kept.model, "texts": list(kept.vectors)})
    with replace_file(path) as file:
        np.savez_compressed(
            file,
            names=np.frombuffer(names.encode(), dtype=np.uint8),
            vectors=np.stack(rows) if rows else np.zeros((0, 0), dtype=_HALF),
        )


def read_vectors(path: Path) -> TextVectors:
    """Read the file of `write_vectors`.

    Raises:
        FileError: it is missing, too large, or not such a file.
    """
    content = read_file(path, LIMIT)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            check_growth(len(content), sum(part.file_size for part in archive.infolist()))
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            names = json.loads(archive["names"].tobytes())
            vectors = np.asarray(archive["vectors"], dtype=_HALF)
        texts, model = names["texts"], names["model"]
        if not isinstance(model, str) or not all(isinstance(text, str) for text in texts):
            raise TypeError("its names are no text")
        whole = vectors.ndim == 2 and len(vectors) == len(texts) and np.isfinite(vectors).all()
        if not whole or (len(vectors) and not vectors.any(axis=1).all()):
            raise ValueError("its vectors are damaged")
    except (ValueError, TypeError, LookupError, OSError, zipfile.BadZipFile) as error:
        raise FileError(f"{path} cannot be read: no vectors of texts ({error})") from None
    return TextVectors(
        model, {text: row.tobytes() for text, row in zip(texts, vectors, strict=True)}
    )
