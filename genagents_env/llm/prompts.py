"""Prompt files, which lie beside the policy that uses them, and the fence for others' words."""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import jinja2

from genagents_env.errors import ConfigError
from genagents_env.llm.calls import JSONValue
from genagents_env.rng import draw_bits

_PART = "\n---\n"  # between the system message and the user message


def load_prompt(path: Path) -> jinja2.Template:
    """Return the template in the file at `path`; it may include files beside it.

    Rendering it without a name that it uses is an error.

    Raises:
        ConfigError: there is no such file, or its syntax is wrong.
    """
    environment = _make_environment(path)
    with _name_fault(path):
        return environment.get_template(path.name)


def split_prompt(path: Path) -> tuple[jinja2.Template, jinja2.Template]:
    """Return the templates above and below the line `---` of the file at `path`.

    Raises:
        ConfigError: there is no such file or no such line, or its syntax is wrong.
    """
    environment = _make_environment(path)
    with _name_fault(path):
        source, _, _ = jinja2.FileSystemLoader(path.parent).get_source(environment, path.name)
        above, line, below = source.partition(_PART)
        if not line:
            raise ConfigError(f"{path}: no line `---` between system message and question")
        return environment.from_string(above), environment.from_string(below)


def _make_environment(path: Path) -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(path.parent),
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # noqa: S701 - prompts are plain text
        keep_trailing_newline=True,  # an included file brings its own last line break
        trim_blocks=True,
        lstrip_blocks=True,
    )


@contextmanager
def _name_fault(path: Path) -> Iterator[None]:
    """Turn errors of jinja into a ConfigError that names the file."""
    try:
        yield
    except jinja2.TemplateNotFound as fault:
        raise ConfigError(f"{path}: no such prompt file ({fault})") from None
    except jinja2.TemplateSyntaxError as fault:
        raise ConfigError(f"{path}:{fault.lineno}: {fault.message}") from None


def run_fence(seed: int) -> str:
    """Return the mark of fences in the run of that seed."""
    return f"{draw_bits(seed, 'fence'):016x}"


def fence(items: Iterable[JSONValue], mark: str) -> str:
    """Return `items` as a block of data for a prompt, one JSON value a line.

    Words and names of people belong in this block and nowhere else in a prompt, least of all in a
    system message. No text can end the block or begin a line of it, even if it contains `mark`:
    line breaks, unprintable characters and angle brackets are escaped.

    Args:
        items: such as `{"speaker": "Maria Lopez", "said": "Hello"}`; the speaker's name must
            come from the engine.
        mark: from `run_fence`.
    """
    lines = [_quote(item) for item in items]
    return "\n".join([f"<<<DATA {mark}", *lines, f"{mark} END>>>"])


def _quote(item: JSONValue) -> str:
    plain = json.dumps(item, ensure_ascii=False)
    if plain.isprintable() and "<" not in plain and ">" not in plain:
        return plain
    return "".join(_escape(char) for char in plain)


def _escape(char: str) -> str:
    if char in "<>":
        return f"\\u{ord(char):04x}"
    return char if char.isprintable() else json.dumps(char)[1:-1]
