"""The one function through which text from people and models enters: `clean`.

Everything stored, shown, or put into a prompt has passed it once. After it, text has no control
characters, no ANSI escapes, no bidirectional overrides, no lone surrogates, no invisible tags,
and no line break but the line feed: one event stays one line, a terminal shows what was said.
"""

import re
import unicodedata

# CSI, OSC (title, clipboard, links) and the other escape sequences that terminals interpret.
_ANSI = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b\]|\x9d).*?(?:\x07|\x1b\\|\x9c|$)"
    r"|\x1b[PX^_].*?(?:\x1b\\|\x9c|$)"
    r"|\x1b[ -/]*[0-~]",
    re.DOTALL,
)
_BREAKS = re.compile(r"\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_SPACES = re.compile(r"[^\S\n]+")


def clean(raw: str, limit: int = 500, *, lines: bool = False) -> str:
    """Return `raw` as safe, normalised text of at most `limit` characters.

    NFC-normalised; runs of blanks become one space. Idempotent: `clean(clean(x)) == clean(x)`.

    Args:
        raw: anything a person or a model wrote; lone surrogates are allowed here.
        limit: the most characters returned; the rest is cut.
        lines: keep line breaks (as line feeds); otherwise they become spaces.
    """
    if raw.isascii() and raw.isprintable() and "  " not in raw:
        return raw[:limit].strip()
    text = _BREAKS.sub("\n", _ANSI.sub("", raw[: limit * 8]))
    if not lines:
        text = text.replace("\n", " ")
    text = _SPACES.sub(" ", text.replace("\t", " "))
    text = "".join(c for c in text if c == "\n" or c == " " or c.isprintable())
    text = unicodedata.normalize("NFC", text)
    text = "".join(c for c in text if c == "\n" or c.isprintable())
    return _SPACES.sub(" ", text)[:limit].strip()


def is_clean(text: str) -> bool:
    """Return whether `text` holds only what `clean` produces: printable characters, line feeds."""
    return text.isprintable() or all(part.isprintable() for part in text.split("\n"))


def fold(name: str) -> str:
    """Return `name` as it is compared: NFKC, case-folded, blanks collapsed.

    Two names that fold alike look alike to people and models, so scenarios may not hold both.
    """
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())
