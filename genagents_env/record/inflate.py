"""Decompressing what a file holds, however much it pretends to be."""

import zlib

from genagents_env.files import check_growth

_BLOCK = 1 << 20


def inflate(data: bytes, limit: int, dictionary: bytes = b"") -> bytes:
    """Return what zlib made `data` of, by a `dictionary` if it had one: at most `limit` bytes.

    Raises:
        ValueError: it is longer, out of all proportion, cut short, or was not compressed so.
    """
    stream = zlib.decompressobj(zdict=dictionary)
    found, rest = bytearray(), data
    try:
        while not stream.eof and len(found) <= limit:
            block = stream.decompress(rest, min(_BLOCK, limit + 1 - len(found)))
            if not block and not stream.unconsumed_tail:
                break
            found += block
            rest = stream.unconsumed_tail
            check_growth(len(data) - len(rest), len(found))
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if not stream.eof or stream.unused_data or len(found) > limit:
        raise ValueError(f"it is cut short, or more than {limit} bytes")
    return bytes(found)
