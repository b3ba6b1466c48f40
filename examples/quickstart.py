"""Five minutes in a cottage: make the environment, let scripted people act, see what happens.

Run it with `python examples/quickstart.py`.
"""

from genagents_env import load_policy, town_v0

SEED = 0


def main(ticks: int = 30) -> None:
    env = town_v0.parallel_env(scenario="tiny", render_mode="ansi", percepts=True)
    observations, infos = env.reset(seed=SEED)

    for agent in env.agents:
        print(f"What {agent} perceives:\n{infos[agent]['percept'].text}")

    policy = load_policy("scripted")  # or "random", "idle", your_file.py:YourPolicy
    policy.reset(env.profiles(), SEED, env.context())

    for _ in range(ticks):
        actions = policy.act(observations, infos)
        observations, _rewards, _terminations, _truncations, infos = env.step(actions)
        for event in env.events:
            print(f"{env.world.time:%H:%M:%S}  {event.agent or 'the town'}: {event.kind}", end="  ")
            print(", ".join(f"{name} {value}" for name, value in event.data.items()))
        if not env.agents:
            break

    print(env.render())
    env.close()


if __name__ == "__main__":
    main()
