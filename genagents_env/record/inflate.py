"""Decompressing what a file holds, however much it pretends to be."""

import zlib


def inflate(data: bytes, limit: int, dictionary: bytes = b"") -> bytes:
    """Return what zlib made `data` of, by a `dictionary` if it had one: at most `limit` bytes.

    Raises:
        ValueError: it is longer, cut short, or was not compressed so.
    """
    stream = zlib.decompressobj(zdict=dictionary)
    try:
        found = stream.decompress(data, limit)
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if not stream.eof or stream.unused_data:
        raise ValueError(f"it is cut short, or more than {limit} bytes")
    return found
