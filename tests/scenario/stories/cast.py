"""A policy whose people do what is written for them, and answer from what they heard and thought.

Lines of a part, done one after another:

- `go PLACE`: walk until one is there;
- `say NAME: WORDS`: until it was heard; `tell WORDS` to all in earshot;
- `use OBJECT -> STATE`: until it is so;
- `hear PATTERN`: wait until one has heard it;
- `wait CLOCK`: until it is that late;
- `think WORDS`: keep it as one's own conclusion.

So nobody answers what did not reach them through the town.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from genagents_env.actions import Action, Idle, Interact, Move, Talk
from genagents_env.llm.scripted.wording import find_content_words
from genagents_env.percept import Percept
from genagents_env.policy import Answer, Context, Infos, Observations, Policy, Profile, State

PLAYS = Path(__file__).with_name("plays.toml")


class CastPolicy(Policy):
    """Plays the parts given by first name; who has none idles.

    Args:
        parts: the lines of each.
    """

    name = "cast"
    remembers = True

    def __init__(self, parts: Mapping[str, Sequence[str]]) -> None:
        self.parts = {name: list(lines) for name, lines in parts.items()}

    def reset(self, profiles: Mapping[str, Profile], seed: int, context: Context) -> None:
        self.names = list(profiles)
        self.known = {name: [f.statement for f in one.facts] for name, one in profiles.items()}
        self.at = dict.fromkeys(profiles, 0)
        self.doing = dict.fromkeys(profiles, "")
        self.heard: dict[str, list[str]] = {name: [] for name in profiles}
        self.thoughts: dict[str, list[str]] = {name: [] for name in profiles}

    def act(self, observations: Observations, infos: Infos) -> dict[str, Action]:
        return {name: self._act(name, infos[name]["percept"]) for name in observations}

    def _act(self, name: str, percept: Percept) -> Action:
        self.heard[name] += [words.text for words in percept.heard]
        lines = self.parts.get(name.split()[0], [])
        while self.at[name] < len(lines):
            line = lines[self.at[name]]
            if not self._is_done(name, line, percept):
                self.doing[name] = line
                return self._take_up(line)
            self.at[name], self.doing[name] = self.at[name] + 1, ""
        return Idle("waiting")

    def _is_done(self, name: str, line: str, percept: Percept) -> bool:
        verb, _, rest = line.partition(" ")
        tried = self.doing[name] == line and percept.result.ok
        if verb == "wait":
            return percept.time.strftime("%H:%M") >= rest
        if verb == "hear":
            return any(re.search(rest, text, re.IGNORECASE) for text in self.heard[name])
        if verb == "think":
            self.thoughts[name].append(rest)
            return True
        return tried and (verb != "go" or percept.result.arrived)

    def _take_up(self, line: str) -> Action:
        verb, _, rest = line.partition(" ")
        if verb == "go":
            return Move(rest)
        if verb == "say":
            to, _, words = rest.partition(": ")
            return Talk(next(name for name in self.names if name.split()[0] == to), words)
        if verb == "tell":
            return Talk(None, rest)
        if verb == "use":
            item, _, state = rest.partition(" -> ")
            return Interact(item, state)
        return Idle("waiting")

    def interview(self, agent: str, questions: Sequence[str], repeat: int = 0) -> list[Answer]:
        told = [*self.known[agent], *self.heard[agent], *self.thoughts[agent]]
        return [Answer(_answer(question, told)) for question in questions]

    def state(self) -> State:
        kept = {"at": self.at, "doing": self.doing, "heard": self.heard, "thoughts": self.thoughts}
        copied: State = json.loads(json.dumps(kept))
        return copied

    def load_state(self, state: State) -> None:
        for key, value in json.loads(json.dumps(dict(state))).items():
            setattr(self, key, value)


def _answer(question: str, told: Sequence[str]) -> str:
    """Return what shares most words with the question; of equals the last."""
    asked = find_content_words(question)
    shared = [len(asked & find_content_words(text)) for text in told]
    best = max(shared, default=0)
    if not best:
        return "I do not know."
    return next(text for text, n in zip(told[::-1], shared[::-1], strict=True) if n == best)
