"""docs/minds.md says what the code does. `python -m tests.test_minds_doc` rewrites its table."""

import json
import re
from functools import cache
from pathlib import Path

import pytest

from genagents_env.policy import Policy
from genagents_env.run.policies import list_policies, load_policy

PAGE = Path(__file__).resolve().parent.parent / "docs" / "minds.md"
MINDS = ("scripted", "reactive", "smallville", "lyfe", "ai_town", "simuverse")
TABLE = re.compile(r"(?<=<!-- minds -->\n\n).*?(?=\n\n)", re.S)
ENTRY = re.compile(r"^- ((?:\*\*\w+\*\*(?:, )?)+): (.*?)(?=^- |^$)", re.M | re.S)
OPTION = re.compile(r"`(\w+)=([^`]+)`")


def read_page() -> str:
    return PAGE.read_text("utf-8")


@cache
def load(name: str) -> Policy:
    return load_policy(name)


def make_table() -> str:
    """Return what each policy declares of itself."""
    heads = (
        "policy",
        "asks a model for",
        "remembers by",
        "switched off by",
        "carries a past along",
    )
    lines = [f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}"]
    for name in MINDS:
        policy = load(name)
        faculties = ", ".join(sorted(policy.faculties)) if policy.needs_model else "nothing"
        how = "embeddings" if policy.needs_embedder else "rule"
        switches = ", ".join(f"`{one.name}`" for one in policy.switches) or "-"
        past = "yes" if policy.has_past else "no"
        lines.append(f"| `{name}` | {faculties} | {how} | {switches} | {past} |")
    return "\n".join(lines)


def list_options() -> list[tuple[str, str, str]]:
    return [
        (mind, option, value)
        for minds, text in ENTRY.findall(read_page())
        for mind in re.findall(r"\w+", minds)
        for option, value in OPTION.findall(text)
        if option != "preset"  # another than the default is told of
    ]


def test_the_table_is_the_one_that_the_policies_declare() -> None:
    found = TABLE.search(read_page())
    assert found is not None
    assert found[0] == make_table(), "see this file's top"


def test_all_minds_there_are_are_compared() -> None:
    asking = {name for name in list_policies() if load(name).needs_model}
    assert asking - set(MINDS) == {"direct"}  # which has no faculties to compare
    assert "`direct`" in read_page()


def test_every_faculty_tells_of_every_mind_once() -> None:
    assert len(list_options()) > 60
    sections = read_page().split("\n## ")[1:]
    assert len(sections) >= 10
    for section in sections:
        named = [mind for minds, _ in ENTRY.findall(section) for mind in re.findall(r"\w+", minds)]
        assert named == list(MINDS), section.splitlines()[0]


@pytest.mark.parametrize(("mind", "option", "value"), list_options())
def test_an_option_named_has_that_default(mind: str, option: str, value: str) -> None:
    config = getattr(load(mind), "config")  # noqa: B009 (of each policy's own class)
    held = getattr(config, option)
    try:
        told = json.loads(value)
    except ValueError:
        told = value
    assert (list(held) if isinstance(held, tuple) else held) == told


if __name__ == "__main__":
    PAGE.write_text(TABLE.sub(lambda _: make_table(), read_page()), "utf-8")
