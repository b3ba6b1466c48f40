"""A prompt as a scripted model reads it: its fenced lines, the words around them, the schema."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from genagents_env.llm.calls import CompletionRequest, JSONSchema, JSONValue

_FENCE = re.compile(r"<<<DATA (\S*)\n(.*?)\n?\1 END>>>", re.DOTALL)
_MOST_READ = 1000  # characters of a line; patterns of news take time by the square of its length
_NUMBER = re.compile(r"#(\d+)")
_HOME = re.compile(r"^Home: (.*?)\.(?: Work: (.*?)\.)?$", re.MULTILINE)
_NAME = re.compile(r"^You are ([^,.\n]+)")
_SAID = re.compile(r"(?:^| )(?:just )?said(?:, .*)?$")  # in the last head of what somebody said
_CHOSE, _CAME = ("you chose",), ("it came to",)  # after the clock, where it stands before them
_OTHERS = re.compile(
    r"(?:go up to|join|leaving|with) ([^.?]+?)"
    r"(?: to talk|, who are talking|, and it is your turn)?[.?]"
)
_SELF = re.compile(r"^You are .*?\n\n", re.DOTALL)  # who one is, where a question begins with it


@dataclass(frozen=True, slots=True)
class PromptLine:
    """A line of the fence.

    Attributes:
        number: by which a reply may name it; None where it has none.
        heads: what stands before the text, such as `you`, `said`, or a time.
        text: its last part.
    """

    number: int | None
    heads: tuple[str, ...]
    text: str

    @property
    def head(self) -> str:
        """The first of the heads, empty where there is none."""
        return self.heads[0] if self.heads else ""

    @property
    def is_said(self) -> bool:
        """Whether the text is what somebody said."""
        return bool(self.heads) and _SAID.search(self.heads[-1]) is not None

    @property
    def speaker(self) -> str:
        """Who said the text, `you` for oneself; empty where nobody did."""
        if not self.is_said:
            return ""
        named = _SAID.sub("", self.heads[-1])
        return named or (self.heads[-2] if len(self.heads) > 1 else "")


@dataclass(frozen=True)
class Prompt:
    """What one is asked.

    Attributes:
        system: what everybody is told who is asked this; in some minds who one is.
        self: who one is.
        words: the question, without its fence.
        lines: of the fence, in order.
        schema: of the reply.
        seed: of the call.
    """

    system: str
    self: str
    words: str
    lines: tuple[PromptLine, ...]
    schema: JSONSchema
    seed: int

    @cached_property
    def name(self) -> str:
        """One's own name; empty where the prompt does not say."""
        found = _NAME.search(self.self)
        return found[1] if found else ""

    @cached_property
    def home(self) -> str:
        """The place where one lives; empty where the prompt does not say."""
        found = _HOME.search(self.self)
        return found[1] if found else ""

    @cached_property
    def work(self) -> str:
        """The place where one works; empty where there is none."""
        found = _HOME.search(self.self)
        return (found[2] or "") if found else ""

    @cached_property
    def dialogue(self) -> tuple[PromptLine, ...]:
        """The lines of what was said since one chose what to do, in order."""
        over = [k for k, line in enumerate(self.lines) if line.heads[1:] in (_CHOSE, _CAME)]
        lines = self.lines[max(over, default=-1) + 1 :]
        return tuple(line for line in lines if line.number is None and line.is_said)

    @cached_property
    def others(self) -> tuple[str, ...]:
        """With whom one talks, talked, or may talk, as far as the question says."""
        others = _OTHERS.search(self.words)
        return tuple(re.split(r", (?:and )?| and ", others[1])) if others else ()

    @property
    def other(self) -> str:
        """The first name of the first of the others."""
        return self.others[0].split()[0] if self.others else "neighbour"

    @property
    def now(self) -> str:
        """The date and the clock."""
        return self.find_text("now") or self.words

    def find_text(self, head: str) -> str:
        """Return the text of the first line with that head; empty where there is none."""
        return next((line.text for line in self.lines if line.head == head), "")

    def list_names(self, head: str) -> list[str]:
        """Return what the lines with that head name: their second head, else the text."""
        lines = [line for line in self.lines if line.head == head]
        return [line.heads[1] if len(line.heads) > 1 else line.text for line in lines]

    @property
    def numbered(self) -> list[PromptLine]:
        """The lines that a reply may name."""
        return [line for line in self.lines if line.number is not None]

    @property
    def fields(self) -> frozenset[str]:
        """The names of the fields of the reply."""
        properties = self.schema.get("properties")
        return frozenset(properties) if isinstance(properties, Mapping) else frozenset()

    def find_part(self, *path: str) -> Mapping[str, JSONValue]:
        """Return the part of the schema at `path`: names of fields, and `items` of a list.

        Empty where there is no such part.
        """
        at: JSONValue = self.schema
        for name in path:
            at = self._resolve(at)
            fields = at.get("properties")
            inside = fields if name != "items" and isinstance(fields, Mapping) else at
            at = inside.get(name, {})
        return self._resolve(at)

    def list_choices(self, *path: str) -> list[str]:
        """Return the values allowed at `path`, empty where any is."""
        part = self.find_part(*path)
        allowed = [part["const"]] if "const" in part else part.get("enum")
        return [str(value) for value in allowed] if isinstance(allowed, list) else []

    def find_limit(self, word: str, default: int, *path: str) -> int:
        """Return what `word`, such as `maxItems`, limits the part at `path` to."""
        value = self.find_part(*path).get(word, default)
        return int(value) if isinstance(value, int | float) else default

    def _resolve(self, schema: JSONValue) -> Mapping[str, JSONValue]:
        at = schema
        while isinstance(at, Mapping) and "$ref" in at:
            inside: JSONValue = self.schema
            for name in str(at["$ref"]).removeprefix("#/").split("/"):
                inside = inside.get(name, {}) if isinstance(inside, Mapping) else {}
            at = inside
        return at if isinstance(at, Mapping) else {}


def read_prompt(request: CompletionRequest) -> Prompt:
    """Return what a request says; where it has no fence, there are no lines."""
    asked = next((m.content for m in request.messages if m.role == "user"), "")
    system = next((m.content for m in request.messages if m.role == "system"), "")
    fenced = _FENCE.search(asked)
    words = _FENCE.sub("", asked)
    told = _SELF.match(words)
    return Prompt(
        system,
        told[0] if told else system,
        words[told.end() :] if told else words,
        tuple(_read_lines(fenced[2])) if fenced else (),
        request.schema or {},
        request.seed,
    )


def _read_lines(block: str) -> Iterator[PromptLine]:
    for row in block.splitlines():
        try:
            parts = json.loads(row)
        except ValueError:
            continue  # not a line of a fence
        if isinstance(parts, list) and parts and all(isinstance(part, str) for part in parts):
            number = _NUMBER.fullmatch(parts[0]) if len(parts) > 1 else None
            heads = parts[1:-1] if number else parts[:-1]
            yield PromptLine(
                int(number[1]) if number else None, tuple(heads), parts[-1][:_MOST_READ]
            )
