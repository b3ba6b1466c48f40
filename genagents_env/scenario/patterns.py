r"""Patterns from people: regular expressions, searched in a time linear in the text.

They are written, and mean, what Python's `re` means by them in any case of letters; `\w` and `\b`
know the letters and digits of all scripts, `\d` the digits 0 to 9. Only what looks around (`(?=`,
`(?<!`) or back (`\1`) is refused, since nothing finds these in bounded time, and so is what would
grow too large. A group named `at` says where what is found stands; other groups only group.

The engine is RE2, to which only the letters of ASCII are letters. So a text that has others is
spelled: each character stands between two marks, and the marks of word characters are word
characters to RE2 as well. The pattern is spelled alike, so that `\b` falls where it should.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple
from warnings import catch_warnings

import re2

MEMORY = 1 << 20  # bytes that the engine may take for one pattern, with its tables while it runs
_SPELLED = 16  # times that: spelling makes no pattern larger by as much
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")  # but tabs and line ends: blanks to `clean`
_FOREIGN = re.compile(r"[^\W\x00-\x7f]")  # a word character that RE2 does not take for one
_ESCAPE = r"\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|0[0-7]{0,2}|[1-3][0-7]{2}|.)"
_TOKEN = re.compile(
    rf"(?P<escape>{_ESCAPE})"
    r"|(?P<set>\[\^?\]?(?:\\.|[^\]\\])*\])"
    r"|(?P<group>\((?:\?(?:P<\w+>|P=|<[=!]|[a-zA-Z-]+[:)]|.))?)"
    r"|(?P<times>(?:[*+?]|\{\d*,\d*\}|\{\d+\})[?+]?)"
    r"|(?P<other>.)",
    re.DOTALL,
)
_IN_SET = re.compile(rf"{_ESCAPE}|.", re.DOTALL)
_FLAGS = re.compile(r"\(\?[is]*(?:-[is]+)?[:)]")
_AROUND = {
    "(?=": "looks ahead",
    "(?!": "looks ahead",
    "(?<=": "looks behind",
    "(?<!": "looks behind",
    "(?P=": "refers back to a group",
    "(?>": "is an atomic group",
    "(?(": "is a condition",
}
_KEPT = (r"\b", r"\B", r"\A", "^", "$", "|", ")")  # no character of a text is any of these
_NO_LINEAR = "no search in linear time knows that; say it without"
_NOTHING = r"[^\x00-\x{10FFFF}]"
_WORD, _OTHER = "(?:0(?s:.)1)", "(?:\x01(?s:.)\x02)"  # any spelled character of one kind


class Text(NamedTuple):
    """A text as patterns are searched for in it, made once for many of them by `prepare`."""

    encoded: bytes
    spelled: bool


@dataclass(slots=True)
class Pattern:
    """A regular expression, or several as one, ready to be searched for."""

    _sources: tuple[str, ...]
    _plain: "re2._Regexp"
    _spelled: "re2._Regexp | None" = None  # made when a text first needs it

    def is_in(self, text: Text) -> bool:
        """Return True if it matches anywhere in a prepared text."""
        return self._choose(text).search(text.encoded) is not None

    def find(self, text: Text) -> int | None:
        """Return the index of the character where it first matches, or None."""
        regexp = self._choose(text)
        match = regexp.search(text.encoded)
        if match is None:
            return None
        start = match.start(1) if regexp.groups else -1
        start = match.start() if start < 0 else start  # its group `at` may have stood aside
        before = len(text.encoded[:start].decode())
        return before // 3 if text.spelled else before

    def _choose(self, text: Text) -> "re2._Regexp":
        if not text.spelled:
            return self._plain
        if self._spelled is None:
            self._spelled = _compile(self._sources, spell=True)
        return self._spelled


@lru_cache(maxsize=4096)
def compile_pattern(source: str) -> Pattern:
    """Compile a regular expression.

    Raises:
        ValueError: it is none, has what no search in linear time knows, or grows too large.
    """
    if found := _CONTROL.search(source):
        raise ValueError(
            f"no text has its control character {found[0]!r}; a pattern stands between single "
            r"quotes, '\bword\b'"
        )
    try:
        with catch_warnings(action="ignore"):  # of what a later Python may read otherwise
            re.compile(source)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"not a regular expression: {error}") from None
    return Pattern((source,), _compile((source,), spell=False))


def compile_any(sources: Sequence[str]) -> Pattern:
    """Compile regular expressions, each valid alone, into a pattern that any of them matches."""
    return Pattern(tuple(sources), _compile(sources, spell=False))


def finds_any(sources: Iterable[str], text: str) -> bool:
    """Return True if any of these regular expressions matches in a text."""
    ready = prepare(text)
    return any(compile_pattern(source).is_in(ready) for source in sources)


def prepare(text: str) -> Text:
    """Encode a text to be searched.

    Half a character, which `clean` takes out and a forged file may hold, is searched as `?`.
    """
    if text.isascii() or _FOREIGN.search(text) is None:
        return Text(text.encode(errors="replace"), False)
    marked = (f"0{c}1" if c.isalnum() or c == "_" else f"\x01{c}\x02" for c in text)
    return Text("".join(marked).encode(errors="replace"), True)


def _compile(sources: Sequence[str], *, spell: bool) -> "re2._Regexp":
    rewritten = [
        "".join(_rewrite(token, spell) for token in _TOKEN.finditer(source)) for source in sources
    ]
    options = re2.Options()
    options.case_sensitive = options.log_errors = False
    options.max_mem = MEMORY * max(1, len(sources)) * (_SPELLED if spell else 1)
    if len(rewritten) != 1:
        rewritten = [f"(?:{part.replace('(?P<at>', '(?:')})" for part in rewritten]
    try:
        return re2.compile("|".join(rewritten) or _NOTHING, options)
    except re2.error as error:
        raise ValueError(_explain(error)) from None


def _explain(error: Exception) -> str:
    text = error.args[0].decode(errors="replace")
    if text.startswith(("pattern too large", "invalid repetition size")):
        return "it grows too large; repeat less of it, at most 1000 times, and nothing within that"
    return f"{text}; {_NO_LINEAR}"


def _rewrite(token: re.Match[str], spell: bool) -> str:
    """Rewrite a piece of a regular expression for RE2, for spelled texts or others."""
    kind, piece = token.lastgroup, token.group()
    if kind == "group":
        return _rewrite_group(piece)
    if kind == "times":
        return _check_times(piece)
    if kind == "set":
        return _rewrite_set(piece, spell)
    if piece == r"\Z":
        return r"\z"
    if piece in _KEPT:
        return piece
    if spell and piece in (r"\w", r"\W"):
        return _WORD if piece == r"\w" else _OTHER
    atom = _read_escape(piece) if kind == "escape" else "." if piece == "." else _quote(piece)
    return _mark(atom) if spell else atom


def _rewrite_group(piece: str) -> str:
    for start, what in _AROUND.items():
        if piece.startswith(start):
            raise ValueError(f'"{start}" {what}; {_NO_LINEAR}')
    if piece.endswith(">"):
        return "(?P<at>" if "<at>" in piece else "(?:"
    if piece == "(":
        return "(?:"
    if not _FLAGS.fullmatch(piece):
        raise ValueError(f'"{piece}" opens no group that is known; of flags i and s are')
    return piece


def _check_times(piece: str) -> str:
    if piece.startswith("{,"):
        raise ValueError(f'"{piece}" lacks its first number; write 0')
    if piece[1:].endswith("+"):
        raise ValueError(f'"{piece}" gives nothing back of what it took; {_NO_LINEAR}')
    return piece


def _read_escape(piece: str) -> str:
    """Rewrite an escape for RE2; unknown ones are left for it to refuse."""
    kind = piece[1]
    if kind in "123456789" and len(piece) < 4:
        raise ValueError(f'"{piece}" refers back to a group; {_NO_LINEAR}')
    if kind in "xuU":
        return _quote(chr(int(piece[2:], 16)))
    return piece if kind.isascii() and kind.isalnum() else _quote(kind)


def _rewrite_set(piece: str, spell: bool) -> str:
    r"""Rewrite a set such as `[^a-z]`; in spelled texts `\w` and `\W` are known by their marks."""
    start = "[^" if piece.startswith("[^") else "["
    inside = _IN_SET.findall(piece[len(start) : -1])
    parts = [_read_escape(part) if part[0] == "\\" else _quote_in_set(part) for part in inside]
    if not spell:
        return f"{start}{''.join(parts)}]"
    rest = "".join(part for part in parts if part not in (r"\w", r"\W"))
    word, other = r"\w" in parts, r"\W" in parts
    if start == "[":
        kinds = [_WORD] * word + [_OTHER] * other + [_mark(f"[{rest}]")] * bool(rest)
        return f"(?:{'|'.join(kinds)})"
    if word and other:
        return _NOTHING
    other_than = f"[^{rest}]" if rest else "(?s:.)"
    if word or other:
        return f"(?:\x01{other_than}\x02)" if word else f"(?:0{other_than}1)"
    return _mark(other_than)


def _mark(atom: str) -> str:
    """Match a spelled character that `atom` matches."""
    return f"(?:[0\x01]{atom}[1\x02])"


def _quote_in_set(letter: str) -> str:
    return letter if letter == "-" or letter.isalnum() else _quote(letter)


def _quote(letter: str) -> str:
    return rf"\x{{{ord(letter):x}}}"
