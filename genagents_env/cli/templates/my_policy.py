"""my_policy: people who follow their routine, and pass on the latest news.

Run it: genagents run tiny --policy my_policy.py:MyPolicy
Test it: python my_policy.py, or pytest my_policy.py
"""

from collections.abc import Mapping
from typing import Any

from genagents_env.actions import Action, Idle, Move, Talk
from genagents_env.percept import Percept
from genagents_env.policy import Context, Infos, Observations, Policy, Profile

AGAIN = 30  # ticks until one who could not be told is tried again


class MyPolicy(Policy):
    """Everyone goes where the routine says, and tells whom they meet the latest news."""

    name = "my_policy"

    def reset(self, profiles: Mapping[str, Profile], seed: int, context: Context) -> None:
        """Begin an episode. A profile is what somebody knows of themselves from the start."""
        self.profiles = dict(profiles)
        facts = {
            agent: [fact.statement for fact in profile.facts if not fact.secret]
            for agent, profile in profiles.items()
        }
        self.news = {agent: said[0] if said else "" for agent, said in facts.items()}
        self.told: dict[str, list[str]] = {agent: [] for agent in profiles}  # who heard it of me
        self.tried: dict[str, dict[str, int]] = {agent: {} for agent in profiles}  # the tick

    def act(self, observations: Observations, infos: Infos) -> dict[str, Action]:
        """Return an action for each agent; whoever is left out idles."""
        return {agent: self._act(agent, infos[agent]["percept"]) for agent in observations}

    def _act(self, agent: str, percept: Percept) -> Action:
        # What is perceived: genagents_env/percept.py. What can be done: genagents_env/actions.py.
        for words in percept.heard:
            if words.facts and words.speaker is not None and words.text != self.news[agent]:
                self.news[agent], self.told[agent] = words.text, [words.speaker]
        partner = self._find_partner(agent, percept)
        if partner:
            return Talk(partner, self.news[agent], leave=True)
        return self._follow_routine(agent, percept)

    def _find_partner(self, agent: str, percept: Percept) -> str:
        """Return the person to tell the news now, "" for nobody."""
        told, tried = self.told[agent], self.tried[agent]
        for name, tick in tried.items():
            if tick == percept.tick - 1 and percept.result.ok and name not in told:
                told.append(name)  # what was said a tick ago came through
        for person in percept.people:
            again = tried.get(person.name, -AGAIN) + AGAIN <= percept.tick
            if self.news[agent] and again and person.name not in told and not person.asleep:
                tried[person.name] = percept.tick
                return person.name
        return ""

    def _follow_routine(self, agent: str, percept: Percept) -> Action:
        profile = self.profiles[agent]
        begun = [entry for entry in profile.routine if entry.at <= percept.time.time()]
        if not begun:
            return Idle("spending time at home", "🏠")
        entry = max(begun, key=lambda entry: entry.at)
        if f"{percept.me.place}/".startswith(f"{entry.place}/"):
            return Idle(entry.doing, entry.emoji)
        return Move(entry.place)

    def state(self) -> dict[str, Any]:
        """Return everything that changes, as JSON values: a killed run goes on from it exactly."""
        return {"news": self.news, "told": self.told, "tried": self.tried}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Go on from `state`."""
        self.news = dict(state["news"])
        self.told = {agent: list(names) for agent, names in state["told"].items()}
        self.tried = {agent: dict(ticks) for agent, ticks in state["tried"].items()}


def test_it_keeps_the_contract() -> None:
    """Its own agents only, seeded, resumable, and it changes nothing that it was given."""
    from genagents_env.testing import check_policy  # needed only here

    check_policy(MyPolicy)


if __name__ == "__main__":
    test_it_keeps_the_contract()
    print("my_policy keeps the contract")
