"""Decompressing what a file holds, however much it pretends to be."""

import zlib


def inflate(data: bytes, limit: int) -> bytes:
    """Return what `zlib.compress` made `data` of, at most `limit` bytes.

    Raises:
        ValueError: it is longer, cut short, or was not compressed so.
    """
    stream = zlib.decompressobj()
    try:
        found = stream.decompress(data, limit)
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if not stream.eof or stream.unused_data:
        raise ValueError(f"it is cut short, or more than {limit} bytes")
    return found
