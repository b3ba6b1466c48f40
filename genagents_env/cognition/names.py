"""Names in words: who is mentioned or addressed, whose words and whose rooms they are.

People are named by first name or surname, with a title or without, and by their role ("the
officer"). A surname behind another's first name is that other's: "Ahmed Khan" names no Salim Khan.
No model is asked, so everybody who hears words reads them alike, except that each knows the roles
of others only from its own ties.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from genagents_env.policy import Profile

_TITLE = (
    r"(?:(?:Mr|Mrs|Ms|Dr|Prof|St|Sr|Sra)\.?|Miss|Mister|Madam|Sir|Doctor|Professor|Officer|Chief"
    r"|Inspector|Detective|Sergeant|Captain|Chef|Father|Sister|Uncle|Aunt|Old|Young|Dear|Poor)"
)
_TRADE = (
    r"(?:Dr\.?|Prof\.?|Doctor|Professor|Officer|Chief|Inspector|Detective|Sergeant|Captain|Chef"
    r"|Father|Sister)"
)  # the titles that say what somebody is
# What stands before a surname, begins a sentence, and is nobody's first name.
_OPENER = (
    r"(?:And|But|So|Then|Yes|No|Oh|Ah|Well|Hello|Hi|Hey|Thanks|Perhaps|If|When|With|To|At|In|On"
    r"|Ask|Tell|Did|Does|Is|Was|Has|Had|Can|Could|Will|Would|Yesterday|Today|Tomorrow|Now|Only"
    r"|Either|Both|Why|How|What|Where|Even|That|This|Last|After|Before|Since|Because|For|From)"
)
_GREETING = (
    r"(?:(?:hello|hi|hey|good (?:day|morning|afternoon|evening)|thanks|thank you|dear|please"
    r"|excuse me|listen|look|yes|no|well|oh|ah|and|but|so|sorry)[, ]+)"
)
_BEGINNING = r"(?:^|(?<!\b[MD]r)(?<!\bMrs)[.!?:;\u2013\u2014\u2026\"\u201c]\s*)"
_TURNED_TO = r"(?=\s*[,!?:\u2013\u2014]|[.\u2026]|$)(?!\s*,\s*(?:who|whose|whom|which)\b[^,.!?]*,)"
_CLOSING = r"(?=\s*[.!?:\u2026\"\u201d]|$)"
_ROLE = re.compile(
    r"(?:^|, |; |\b(?:is|am) )(?:the|an?|our) ((?:[a-z][\w'-]* ){0,2}[a-z][\w'-]*?)"
    r"(?=\W*$|[,;.]| (?:of|on|in|at|who|from|with|and|to|for)\b)"
)
_WORD_BEFORE = re.compile(r"([\w'\u2019-]+\.?) $")
_MOST = 40  # characters of the word before a surname
_NO_FIRST_NAME = re.compile(rf"{_TITLE}|{_OPENER}|I")
_NO_ROLE = re.compile(
    r"friend|man|woman|girl|boy|person|student|neighbou?r|town|one|lot|bit|day|time|girlfriend"
    r"|boyfriend|wife|husband|rival|lover|guest|body"
)
_CAPITAL = r"[A-Z\u00c0-\u00de][\w-]*"
_SENTENCE_MARKS = r"[.!?\u2026\"\u201d]"  # a name behind one begins another's line
_MARKDOWN = "[*_]*"  # around a name
_SPOKEN_TO = r"(?: to [^:.!?]+)?"
_OWNER = re.compile(r"(.+?)['\u2019]s\b")
_FULL_NAME = re.compile(rf"(?<![\w'\u2019-])(?:{_CAPITAL} )*({_CAPITAL}\w) ({_CAPITAL}\w)(?![\w-])")


def find_mention(name: str, words: str, roles: Sequence[str] = ()) -> int | None:
    """Return the position of somebody's first mention in words, or None.

    Args:
        name: the whole name.
        words: anybody's.
        roles: what the person is, such as "police officer".
    """
    places = [
        _find_first(_compile_mentions(name, tuple(roles)), words),
        _find_surname(name, words),
        find_address(name, words, roles),
    ]
    return min((at for at in places if at is not None), default=None)


def find_address(name: str, words: str, roles: Sequence[str] = ()) -> int | None:
    """Return the position at which words first address somebody by name or role, or None."""
    return _find_first(_compile_addresses(name, tuple(roles)), words)


def find_title(name: str, words: str) -> str:
    """Return the title that words give somebody, as "Officer" of "Officer Lizhi Chen", or ""."""
    if name not in words:
        return ""
    match = re.search(rf"\b({_TRADE}) {re.escape(name)}(?!\w)", words)
    return match[1] if match else ""


@lru_cache(maxsize=4096)
def list_roles(about: str) -> tuple[str, ...]:
    """Return the roles that a sentence gives somebody: of "a friend, the postman" the postman."""
    roles = dict.fromkeys(match[1] for match in _ROLE.finditer(about))
    return tuple(role for role in roles if not _NO_ROLE.fullmatch(role.split()[-1]))


def list_full_names(text: str, others: Iterable[str] = ()) -> list[str]:
    """Return possible whole names of people in a text, without those with a word in `others`."""
    known = {word.casefold() for other in others for word in re.findall(r"\w+", other)}
    full_names = dict.fromkeys(
        f"{first} {last}"
        for first, last in _FULL_NAME.findall(text)
        if not _NO_FIRST_NAME.fullmatch(first)
        and known.isdisjoint((first.casefold(), last.casefold()))
    )
    return list(full_names)


def _find_first(patterns: Iterable[re.Pattern[str]], words: str) -> int | None:
    places = [match.start("who") for pattern in patterns if (match := pattern.search(words))]
    return min(places, default=None)


@lru_cache(maxsize=4096)
def _compile_mentions(name: str, roles: tuple[str, ...]) -> list[re.Pattern[str]]:
    first = name.split()[0] if name.split() else name
    said = [re.compile(rf"(?<!\w)(?P<who>{re.escape(first)})(?!\w)", re.IGNORECASE)]
    for role in roles:
        said.append(re.compile(rf"\b(?:the|our) (?P<who>{_format_role(role)})\b", re.IGNORECASE))
    return said


def _find_surname(name: str, words: str) -> int | None:
    """Return the first position of a surname that is not behind another's first name."""
    *before, last = name.split() or [name]
    if not before:
        return None
    for match in re.finditer(rf"(?<!\w){re.escape(last)}(?!\w)", words):
        word = _WORD_BEFORE.search(words[max(0, match.start() - _MOST) : match.start()])
        if word is None or not word[1][0].isupper() or _NO_FIRST_NAME.fullmatch(word[1]):
            return match.start()
    return None


@lru_cache(maxsize=4096)
def _compile_addresses(name: str, roles: tuple[str, ...]) -> list[re.Pattern[str]]:
    first, *rest = name.split() or [name]
    handles = [re.escape(first)]
    if rest:
        handles = [re.escape(name), *handles, rf"(?:{_TITLE} )?{re.escape(rest[-1])}"]
    handles += [_format_role(role) for role in roles]
    handle = rf"(?P<who>{'|'.join(handles)})"
    return [
        re.compile(rf"{_BEGINNING}{_GREETING}?{handle}{_TURNED_TO}", re.IGNORECASE),
        re.compile(rf", {handle}{_CLOSING}", re.IGNORECASE),
    ]


def _format_role(role: str) -> str:
    """Return a pattern of a role with as many of its words as are said: "(police )officer"."""
    *before, last = (re.escape(word) for word in role.split())
    return "".join(f"(?:{word} )?" for word in before) + last


def cut_reply(words: str, name: str, others: Sequence[str]) -> str:
    """Cut the words of a model down to one speaker's: no name in front, no answer of others.

    A name and a colon within a sentence stay: "With pleasure, Bea: tomorrow at five."

    Args:
        words: written by a model.
        name: of the speaker.
        others: in the talk; a line of theirs ends the speaker's words.
    """
    if own := _compile_names(name):
        words = re.sub(rf"^\W*(?:{own})\W*{_SPOKEN_TO}{_MARKDOWN}:{_MARKDOWN}\s*", "", words)
    if theirs := "|".join(filter(None, map(_compile_names, others))):
        line = rf"{_MARKDOWN}(?:{theirs}){_MARKDOWN}{_SPOKEN_TO}{_MARKDOWN}:{_MARKDOWN}\s"
        words = re.split(rf"(?:(?<={_SENTENCE_MARKS})\s+|\s*\n\s*){line}", words)[0]
    return words.strip()


def _compile_names(name: str) -> str:
    """Return a pattern of the names of somebody: the whole one, then the first."""
    called = dict.fromkeys([name, *name.split()[:1]]) if name else {}
    return "|".join(map(re.escape, called))


def find_owner_names(profile: Profile, place: str) -> set[str]:
    """Return the owners named in a place such as "Maria Lopez's room", unless it is one's own."""
    own = {*profile.home.split("/"), *(profile.workplace or "").split("/")}
    owners = [_OWNER.match(part) for part in place.split("/") if part not in own]
    return {name for owner in owners if owner for name in owner[1].split() if name.istitle()}
