"""Reads the body of an HTTP response, at most so much of it, decompressed or not."""

import zlib

from genagents_env.llm.calls import AttemptFailed
from genagents_env.llm.http_library import httpx2

MOST_BYTES = 1 << 20
_GZIP_OR_ZLIB = 32 + zlib.MAX_WBITS


async def read_bounded(response: httpx2.Response) -> None:
    """Replace the stream of `response` by its decoded body: an event hook of the HTTP client.

    A compressed body is inflated piece by piece, so that a bomb costs no memory. An error whose
    body cannot be read has none: its status says what it is.

    Raises:
        AttemptFailed: the body exceeds 1 MiB or is compressed in a way that was not asked for.
    """
    encoding = response.headers.get("content-encoding", "identity").lower()
    stream = response.stream
    if not isinstance(stream, httpx2.AsyncByteStream):
        raise TypeError("read_bounded needs an asynchronous client")
    try:
        body = await _decode(stream, encoding)
    except AttemptFailed:
        if not response.is_error:
            raise
        body = b""
    finally:
        await stream.aclose()
    if "content-encoding" in response.headers:
        del response.headers["content-encoding"]
    response.stream = httpx2.ByteStream(body)


async def _decode(stream: httpx2.AsyncByteStream, encoding: str) -> bytes:
    if encoding in ("identity", ""):
        return await _read(stream, None)
    if encoding in ("gzip", "deflate"):
        return await _read(stream, zlib.decompressobj(_GZIP_OR_ZLIB))
    raise AttemptFailed(f"the answer is compressed with {encoding[:20]!r}")


async def _read(stream: httpx2.AsyncByteStream, inflate: "zlib._Decompress | None") -> bytes:
    body = bytearray()
    async for chunk in stream:
        room = MOST_BYTES + 1 - len(body)
        try:
            body += inflate.decompress(chunk, room) if inflate else chunk
        except zlib.error:
            raise AttemptFailed("the answer's compression is damaged") from None
        if len(body) > MOST_BYTES:
            raise AttemptFailed(f"the answer is larger than {MOST_BYTES} bytes")
    return bytes(body)
