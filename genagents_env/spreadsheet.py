"""The one way in which words enter a cell of a CSV file: never as a formula."""

import unicodedata

# What a spreadsheet may take for the beginning of a formula: these and whatever is equal to one by
# NFKC (full width, small, superscript), which East Asian spreadsheets read alike.
_DANGEROUS = ("=", "+", "-", "\u2212", "@", "\t", "\r")
_QUOTES = "\"'`\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb"
_FILLERS = "\u115f\u1160\u2800\u3164\uffa0"  # letters and signs that are drawn as blanks
_INVISIBLE = ("Cc", "Cf", "Cs", "Mn", "Me")  # categories of Unicode
MARK = "'"


def escape_formula(words: str) -> str:
    """Return `words` so that no spreadsheet computes them: set off by an apostrophe if need be.

    They are set off where the first sign that counts begins a formula, whatever blanks, quotes
    or invisible signs (zero width, byte order mark) stand before it.
    """
    return MARK + words if _begins_formula(words) else words


def _begins_formula(words: str) -> bool:
    for sign in words:
        if unicodedata.normalize("NFKC", sign).lstrip(" ").startswith(_DANGEROUS):
            return True
        if not _is_skipped(sign):
            return False
    return False


def _is_skipped(sign: str) -> bool:
    if sign.isspace() or sign in _QUOTES or sign in _FILLERS:
        return True
    return unicodedata.category(sign) in _INVISIBLE
