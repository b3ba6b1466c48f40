"""Nobody is told what others keep to themselves: not by a prompt, not before it was said aloud.

A *window* is five words in a row. Private to a person are the windows of what they know, want and
remember, but for those that others know themselves, that are asked in interviews, or that somebody
said in the run.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.scripted.news import list_statements
from genagents_env.llm.scripted.prompt import PromptLine, read_prompt
from genagents_env.policy import Profile
from genagents_env.record import RunReader
from genagents_env.run.policies import find_policy_class
from genagents_env.scenario import Scenario, first_memories
from genagents_env.scenario.schema import Person
from genagents_env.world.events import Event
from tests.policies.lyfe.test_mystery import run_mystery

WORDS = 5
KEEPERS = ("Francesco Bianchi", "Marta Rodriguez", "Yi Huang")  # of the facts that are secret
MURDERER, OFFICER = "Francesco Bianchi", "Lizhi Chen"

Windows = set[tuple[str, ...]]


def windows(texts: Iterable[str]) -> Windows:
    """Return every five words in a row of a sentence, in lower case."""
    found: Windows = set()
    for sentence in (part for text in texts for part in re.split(r"[.!?\n]", text)):
        words = re.findall(r"\w+", sentence.casefold())
        found.update(zip(*(words[k:] for k in range(WORDS)), strict=False))
    return found


def material(scenario: Scenario, person: Person) -> Iterator[str]:
    """Yield what a person knows, wants and remembers at the start."""
    yield from (person.goal, *first_memories(person), *person.recent_memories)
    yield from (f"I know {tie.to}: {tie.about}" for tie in person.relationships)
    yield from (fact.statement for fact in scenario.facts if person.name in fact.known_by)


def tell(event: Event) -> list[str]:
    """Return what somebody said, and the same in the third person, as others tell it."""
    text, speaker = event.data["text"], event.agent or ""
    line = PromptLine(None, (speaker, "said"), text)
    prompt = read_prompt(CompletionRequest(()))
    return [text, " ".join(list_statements(prompt, line))]


def private(record: RunReader) -> dict[str, Windows]:
    """Return what each person keeps to themselves, to the end of the run."""
    scenario = record.meta.scenario
    own = {p.name: windows(material(scenario, p)) for p in scenario.people}
    said = windows(text for event in record.events() if event.kind == "say" for text in tell(event))
    asked = windows(question.text for question in scenario.questions)
    return {
        name: mine - said - asked - set().union(*(own[n] for n in own if n != name))
        for name, mine in own.items()
    }


def prompts(record: RunReader) -> Iterator[tuple[str, str]]:
    """Yield whose mind was asked, and every word of the prompt."""
    for call in record.calls():
        yield call.agent, "\n".join(message["content"] for message in json.loads(call.messages))


def leaks(record: RunReader) -> Mapping[tuple[str, str], Windows]:
    """Return by (keeper, who was told) what stands in prompts and should not."""
    kept, found = private(record), dict[tuple[str, str], Windows]()
    for agent, prompt in prompts(record):
        told = windows([prompt])
        for keeper, mine in kept.items():
            if keeper != agent and (leaked := told & mine):
                found.setdefault((keeper, agent), set()).update(leaked)
    return found


def check_kept(path: Path) -> None:
    """Check that nothing leaked, in a run in which there was something to find."""
    with RunReader(path) as record:
        assert record.policy_fault_count() == 0
        scenario, kept = record.meta.scenario, private(record)
        secret = [fact for fact in scenario.facts if fact.secret]
        assert {name for fact in secret for name in fact.known_by} == set(KEEPERS)
        asked = [(agent, windows([prompt])) for agent, prompt in prompts(record)]
        for keeper in KEEPERS:
            assert any(told & kept[keeper] for agent, told in asked if agent == keeper)
        assert leaks(record) == {}
        said = [(e.tick, e.data["text"]) for e in record.events() if e.kind == "say"]
        calls = [(call, "\n".join(m.content for m in asked)) for call, asked in record.prompts()]
        for fact in secret:
            patterns = [re.compile(pattern, re.IGNORECASE) for pattern in fact.patterns]
            # A keeper may tell it aloud; before that nobody else has a trace of it.
            told = [tick for tick, text in said if any(p.search(text) for p in patterns)]
            until = min(told, default=2**40)
            for agent, prompt in ((c.agent, text) for c, text in calls if c.tick <= until):
                lines = prompt.splitlines() if agent not in fact.known_by else []
                assert not any(p.search(line) for p in patterns for line in lines), fact.id


def test_in_one_room_nobody_is_told_what_others_keep_to_themselves(tmp_path: Path) -> None:
    check_kept(run_mystery(tmp_path, hours=0.05, place="Sakuramachi Hotel/lobby", repeats=1))


@pytest.mark.slow
def test_in_the_whole_mystery_nobody_is_told_what_others_keep_to_themselves(
    tmp_path: Path,
) -> None:
    check_kept(run_mystery(tmp_path))


def test_a_mind_that_knows_too_much_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lyfe: Any = find_policy_class("lyfe")
    begin = lyfe.reset

    def leaking(self: Any, profiles: Mapping[str, Profile], *given: Any) -> None:
        theirs = next(text for text in profiles[MURDERER].memories if "murdered" in text)
        officer = profiles[OFFICER]
        knowing = replace(officer, memories=(*officer.memories, theirs))
        begin(self, {**profiles, OFFICER: knowing}, *given)

    monkeypatch.setattr(lyfe, "reset", leaking)
    with RunReader(run_mystery(tmp_path, hours=1 / 60, repeats=1)) as record:
        found = leaks(record)
    assert set(found) == {(MURDERER, OFFICER)}
    assert ("rival", "sushi", "restaurant", "that", "he") in found[MURDERER, OFFICER]
