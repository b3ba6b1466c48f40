"""A policy of one's own in one file: people who go where the crowd is and say hello.

Run it with `python examples/own_policy.py`, or on any scenario with
`genagents run valentines_party --policy examples/own_policy.py:FollowTheCrowd`.
"""

from collections import Counter
from collections.abc import Mapping

from genagents_env import town_v0
from genagents_env.actions import Action, Idle, Move, Talk
from genagents_env.percept import Percept
from genagents_env.policy import Context, Infos, Observations, Policy, Profile


class FollowTheCrowd(Policy):
    """Everyone walks to the place where most people were seen, and greets whom they meet."""

    name = "follow_the_crowd"

    def reset(self, profiles: Mapping[str, Profile], seed: int, context: Context) -> None:
        """Begin an episode: nobody has been greeted."""
        self.greeted: dict[str, list[str]] = {agent: [] for agent in profiles}

    def act(self, observations: Observations, infos: Infos) -> dict[str, Action]:
        """Return an action for each agent."""
        return {agent: self._act(agent, infos[agent]["percept"]) for agent in observations}

    def _act(self, agent: str, percept: Percept) -> Action:
        for person in percept.people:
            if person.name not in self.greeted[agent] and not person.asleep:
                self.greeted[agent].append(person.name)
                return Talk(person.name, f"Hello, {person.name}!", leave=True)
        crowd = Counter(person.place for person in percept.people).most_common(1)
        if crowd or not percept.exits:
            return Move(crowd[0][0]) if crowd else Idle("waiting for company", "⏳")
        return Move(percept.exits[percept.tick // 12 % len(percept.exits)])

    def state(self) -> dict[str, dict[str, list[str]]]:
        """Return everything that changes, so that an interrupted run can go on."""
        return {"greeted": self.greeted}

    def load_state(self, state: Mapping[str, dict[str, list[str]]]) -> None:
        """Go on from `state`."""
        self.greeted = {agent: list(names) for agent, names in state["greeted"].items()}


def main() -> None:
    env = town_v0.parallel_env(scenario="tiny", percepts=True)
    observations, infos = env.reset(seed=0)
    policy = FollowTheCrowd()
    policy.reset(env.profiles(), 0, env.context())
    while env.agents:
        observations, *_, infos = env.step(policy.act(observations, infos))
        for speaker, words in env.world.snapshot.spoken:
            print(f"{env.world.time:%H:%M:%S}  {env.world.names[speaker]}: {words}")


if __name__ == "__main__":
    main()
