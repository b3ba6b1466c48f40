"""The functions through which text from people and models goes: `clean`, `quote`, `set_apart`.

Everything stored, shown, or put into a prompt has passed `clean` once. After it, text has no
control characters, no ANSI escapes, no bidirectional overrides, no lone surrogates, no invisible
tags, and no line break but the line feed: one event stays one line, a terminal shows what was said.
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
SENTENCE_END = re.compile(r"(?<=[.!?;\u2026])\s+|(?<=[\u3002\uff01\uff1f])\s*(?=.)")
_SPACES = re.compile(r"[^\S\n]+")
# A possible run of combining marks: none of them is a letter, a digit or a blank.
_MARKS = re.compile(r"[^\w\s\x00-\u02ff]{31,}")
# Marks kept in a run; Unicode's Stream-Safe Text Format allows as many (UAX #15, section 13,
# https://unicode.org/reports/tr15/#Stream_Safe_Text_Format). Their sorting is quadratic.
_MOST_MARKS = 30
_MARKS_BY_PARTS = "\u0f73\u0f75\u0f81"  # of class 0 themselves, yet made of marks
_HALFWIDTH_VOICING = str.maketrans({"\uff9e": "\u3099", "\uff9f": "\u309a"})  # marks under NFKC

# What a spreadsheet may take for the beginning of a formula: these and whatever is equal to one by
# NFKC (full width, small, superscript), which East Asian spreadsheets read alike.
_FORMULAS = ("=", "+", "-", "\u2212", "@", "\t", "\r")
# Characters that may come before it: quotes, those drawn as blanks, invisible categories.
_SKIPPED = "\"'`\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb\u115f\u1160\u2800\u3164\uffa0"
_INVISIBLE = ("Cc", "Cf", "Cs", "Mn", "Me")
FORMULA_MARK = "'"

_APOSTROPHE, _QUOTED = "'", '"\u201c\u201d\u201e\u201f\u00ab\u00bb'
_QUOTES = str.maketrans(
    dict.fromkeys(
        f"{_QUOTED}\u2039\u203a\u2033\u2036\u301d\u301e\u301f\uff02\u02ba\u02dd\u275d\u275e"
        "\u300c\u300d\u300e\u300f",
        _APOSTROPHE,
    )
)
_MANY = re.compile(r"['\u2018\u2019`\u00b4]{2,}")  # two of them look like a quotation mark
_OWN_SUBJECT = re.compile(r"(?:(?:I am|I['\u2019]m|(?:he|she|they) (?:is|are))\s+)+", re.IGNORECASE)
_VERB = r"\b(?:is|are|am|was|were|has|have|had|will|says?|said)\b"
# What follows "and" or a comma as one of a list: names, "taking notes", a word that ends it.
_LISTED = (
    r"(?:[a-z][\w'\u2019-]*ing\b|(?:(?:the|an?|my|his|her|its|our|your|their) )?[a-z][\w'\u2019-]*$"
    r"|[^\W\d_a-z][\w'\u2019-]*(?: [^\W\d_a-z][\w'\u2019-]*){0,3}"
    r"(?:$|,|\s(?:and|about)\b))"
)
_INNER = re.compile(  # clauses within one's own: "asking how they are", "while the light is low"
    r"\b(?:what|how|who\w*|where|whether|why|while|as|because|since|when)\s+"
    rf"(?:(?!and\b)[a-z'\u2019-]+\s+){{0,3}}?{_VERB}"
)
# In an activity: punctuation, verbs and joints at which somebody else's clause may begin.
_OTHER_CLAUSE = re.compile(
    r"[^\w\s,.:'\u2019/&%+\u00b0-]|\n|\s-+\s|:(?!\d)|^[^\W\d_a-z]"
    r"|(?<!\b[MD]r)(?<!\bMs)(?<!\bMrs)(?<!\b[A-Z])\.\s"
    rf"|{_VERB}"
    r"|\b(?:while|as|because|since|when|but|so|then|now|also|meanwhile)\s+(?![a-z][\w'\u2019-]*ing\b)"
    rf"|(?:,|\band)\s+(?!and\b)(?!{_LISTED})"
)


def clean(raw: str, limit: int = 500, *, lines: bool = False) -> str:
    """Return `raw` as safe, normalised text of at most `limit` characters.

    NFC-normalised; runs of blanks become one space; of combining marks in a row 30 stay. It takes
    time in proportion to the length. Idempotent: `clean(clean(x)) == clean(x)`.

    Args:
        raw: anything a person or a model wrote; lone surrogates are allowed here.
        limit: the most characters returned; the rest is cut.
        lines: keep line breaks (as line feeds); otherwise they become spaces.
    """
    if raw.isascii():
        if raw.isprintable() and "  " not in raw:
            return raw[:limit].strip()
    elif _is_plain(raw[: limit * 8]):
        return raw[:limit].strip()
    text = _BREAKS.sub("\n", _ANSI.sub("", raw[: limit * 8]))
    if not lines:
        text = text.replace("\n", " ")
    text = _SPACES.sub(" ", text.replace("\t", " "))
    text = "".join(c for c in text if c == "\n" or c == " " or c.isprintable())
    text = unicodedata.normalize("NFC", _bound_marks(text))
    text = "".join(c for c in text if c == "\n" or c.isprintable())
    return _SPACES.sub(" ", _bound_marks(text))[:limit].strip()


def cut_sentences(raw: str, limit: int) -> str:
    """Return `raw` clean and at most `limit` characters long, ended where a sentence ends.

    Where not even the first sentence is so short, its first words and an ellipsis.
    """
    text = clean(raw, 8 * limit)
    if len(text) <= limit:
        return text
    kept = ""
    for sentence in SENTENCE_END.split(text):
        longer = f"{kept} {sentence}" if kept else sentence
        if len(longer) > limit:
            break
        kept = longer
    if kept:
        return kept
    words = text[: limit - 1]
    return f"{words.rpartition(' ')[0] or words}…"


def split_sentences(text: str) -> tuple[str, ...]:
    """Return the parts of `text` between its semicolons; no empty ones."""
    return tuple(part for part in (part.strip() for part in text.split(";")) if part)


def quote(words: str) -> str:
    """Return words on one line between quotation marks that nothing in them can close.

    What somebody said stands so in every sentence about it: `Maria Lopez said to you: "…"`. Marks
    of quotation inside become apostrophes.
    """
    return f'"{_soften(" ".join(words.split()))}"'


def set_apart(words: str) -> str:
    """Return words for an activity, or for a state in somebody's words, to follow "is".

    It stands behind a name, "Maria Lopez is …", so that a clause with a subject of its own would be
    an observation of somebody else: words that may hold one are quoted. "I am reading" becomes
    "reading". Idempotent.
    """
    while (kept := _set_apart_once(words)) != words:
        words = kept
    return words


def escape_formula(words: str) -> str:
    """Return `words` for a cell of a CSV file: an apostrophe before what begins like a formula.

    Blanks, quotes and invisible characters (zero width, byte order mark) before it hide nothing.
    """
    for char in words:
        if unicodedata.normalize("NFKC", char).lstrip(" ").startswith(_FORMULAS):
            return FORMULA_MARK + words
        hidden = char in _SKIPPED or unicodedata.category(char) in _INVISIBLE
        if not (hidden or char.isspace()):
            break
    return words


def is_clean(text: str) -> bool:
    """Return True if `text` holds only what `clean` produces: printable characters, line feeds."""
    return text.isprintable() or all(part.isprintable() for part in text.split("\n"))


def fold(name: str) -> str:
    """Return `name` as it is compared: NFKC, case-folded, blanks collapsed, marks bounded.

    Two names that fold alike look alike to people and models, so scenarios may not hold both.
    """
    if name.isascii():
        return " ".join(name.casefold().split())
    for _ in range(2):  # folded letters may combine anew
        name = _bound_marks(name.translate(_HALFWIDTH_VOICING))
        name = _bound_marks(unicodedata.normalize("NFKC", name)).casefold()
    return " ".join(name.split())


def _set_apart_once(words: str) -> str:
    words = "; ".join(line.strip() for line in words.split("\n") if line.strip())
    if len(words) > 1 and words[0] in _QUOTED and words[-1] in _QUOTED:
        words = words[1:-1].strip()
    words = _soften(words)
    if (subject := _OWN_SUBJECT.match(words)) is not None:
        words = words[subject.end() :]
    words = words.rstrip(". ")
    return words if _OTHER_CLAUSE.search(_INNER.sub("", words)) is None else quote(words)


def _soften(words: str) -> str:
    """Return words with apostrophes in the place of marks of quotation."""
    return _MANY.sub(_APOSTROPHE, words.translate(_QUOTES))


def _is_plain(text: str) -> bool:
    """Return True if nothing in a text but its ends needs cleaning: emoji, names with accents."""
    return (
        text.isprintable()
        and "  " not in text
        and unicodedata.is_normalized("NFC", text)
        and (len(text) <= _MOST_MARKS or _MARKS.search(text) is None)
    )


def _bound_marks(text: str) -> str:
    """Return `text` without the combining marks that follow 30 others."""
    return _MARKS.sub(_cut_marks, text)


def _cut_marks(found: re.Match[str]) -> str:
    kept: list[str] = []
    run = 0
    for char in found.group():
        is_mark = unicodedata.combining(char) or char in _MARKS_BY_PARTS
        run = run + 1 if is_mark else 0
        if run <= _MOST_MARKS:
            kept.append(char)
    return "".join(kept)
