"""Learn `errand` from text alone, on a CPU and in numpy: first from play by rule, then by reward.

    python examples/learn_from_text.py --seeds 3 --out runs/learn_from_text

An agent reads what a language model would read (`genagents_env.train.language.SharedSession`) and
replies with what a language model would reply. What it could say is read off the text: places to
walk to, things to walk to, states to put them into. A small network scores each against the goal
line and against where the agent is; all of them are embedded by the hashed letters of their words,
so that it can tell in towns it has never seen what a goal is about. It is shown a few episodes of a
player by rule that errs every other time, and then learns by REINFORCE; or it learns by reward
alone. Drawn: mean return of an agent in held-out towns, greedy, as training goes on.
"""

import argparse
import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from genagents_env.memory.embed import HashedNgrams
from genagents_env.train.language import LearnerPrompt, SharedSession
from genagents_env.train.language.seeds import list_seeds
from genagents_env.train.language.shared_session import WAIT
from genagents_env.train.tasks import get_task

Floats = npt.NDArray[np.float64]
WIDTH, HIDDEN, CLOSE = 256, 32, 4.0
KINDS = ("walk", "put", "wait")
FEATURES = 2 * WIDTH + 3 + len(KINDS)
PLACE = re.compile(r"([^,(]+?)(?: \(([^)]*)\))?(?:, |$)")
THING = re.compile(r"([^;(]+?) \(([^)]*)\)")
EMBEDDER = HashedNgrams(WIDTH)


@dataclass(frozen=True)
class Moment:
    """What is read off a prompt: the goal, where one is, and what one could say to do."""

    goal: str
    here: str
    choices: tuple[tuple[str, str, str], ...]  # kind, what it is about, and the reply


@dataclass
class Steps:
    """What an agent chose among in an episode, and what it earned from there on."""

    seen: list[Floats] = field(default_factory=list)  # (choices, FEATURES) each
    chosen: list[int] = field(default_factory=list)
    ticks: list[int] = field(default_factory=list)
    to_go: list[float] = field(default_factory=list)


def read(prompt: LearnerPrompt) -> Moment | None:
    """Return what a prompt says; None where the goal is achieved."""
    lines = [json.loads(line) for line in prompt.user.splitlines() if line.startswith('"')]
    told = {line.split(":")[0].split(" (")[0]: line.partition(": ")[2] for line in lines}
    goal = told["Your goals"]
    if "(over)" in goal:
        return None
    here = next(line for line in lines if line.startswith("You are ")).split(", in ")[-1]
    here = here.split(" at (")[0]
    choices = [("wait", "", WAIT.replace("60", "1"))]
    for sector, rooms in PLACE.findall(told["Places you know"].rstrip(".")):
        for room in rooms.split(", ") if rooms else [""]:
            place = f"{sector}/{room}" if room else sector
            choices.append(("walk", place, reply("move", place)))
    for name, state in THING.findall(told.get("Things here", "")):
        thing = f"{here}/{name.strip()}"
        choices.append(("walk", thing, reply("move", thing)))
        for wanted in filter(None, state.partition("can become: ")[2].split(", ")):
            choices.append(("put", f"{thing} {wanted}", reply("interact", thing, wanted)))
    return Moment(goal, here, tuple(choices))


def reply(do: str, target: str, words: str = "") -> str:
    return json.dumps({"do": do, "target": target, "words": words, "minutes": 1})


@lru_cache(maxsize=100_000)
def embed(words: str) -> Floats:
    return np.asarray(EMBEDDER([words])[0], dtype=np.float64)


def look(moment: Moment, before: Counter[str]) -> Floats:
    """Return the features of each choice: how its words go with the goal's and the place's.

    `before`: how often one has replied so, since what did not help may not help again.
    """
    goal, here, rows = embed(moment.goal), embed(moment.here), []
    for kind, about, said in moment.choices:
        words = embed(about)
        alike = [CLOSE * (goal @ words), CLOSE * (here @ words), min(before[said], 3)]
        kinds = [float(kind == one) for one in KINDS]
        rows.append(np.concatenate([goal * words, here * words, alike, kinds]))
    return np.array(rows)


class Network:
    """Scores choices: one hidden layer, trained by Adam."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.weights = [
            rng.normal(size=(FEATURES, HIDDEN)) / np.sqrt(FEATURES) * 4,
            np.zeros(HIDDEN),
            rng.normal(size=HIDDEN) * 0.1,
        ]
        self.moments = [[np.zeros_like(w), np.zeros_like(w)] for w in self.weights]
        self.steps = 0

    def score(self, seen: Floats) -> tuple[Floats, Floats]:
        """Return how likely each choice is, and what is inside."""
        first, bias, last = self.weights
        inside = np.tanh(seen @ first + bias)
        scores = inside @ last
        likely = np.exp(scores - scores.max())
        return likely / likely.sum(), inside

    def learn(self, steps: Sequence[tuple[Floats, int, float]], rate: float, spread: float) -> None:
        """Make each choice more likely by its weight; `spread` keeps the others possible."""
        grads = [np.zeros_like(w) for w in self.weights]
        for seen, chosen, weight in steps:
            likely, inside = self.score(seen)
            slope = -weight * likely
            slope[chosen] += weight
            surprise = -np.log(likely + 1e-12)
            slope += spread * likely * (surprise - likely @ surprise)
            grads[2] += slope @ inside
            back = np.outer(slope, self.weights[2]) * (1 - inside**2)
            grads[0] += seen.T @ back
            grads[1] += back.sum(axis=0)
        self.steps += 1
        for weights, grad, (mean, square) in zip(self.weights, grads, self.moments, strict=True):
            grad /= len(steps)
            mean += 0.1 * (grad - mean)
            square += 0.01 * (grad**2 - square)
            unbiased = mean / (1 - 0.9**self.steps)
            weights += rate * unbiased / (np.sqrt(square / (1 - 0.99**self.steps)) + 1e-8)


def solve(moment: Moment) -> int:
    """Return what the player by rule chooses: the thing, else the way to it, else its room."""
    thing, _, state = moment.goal.removeprefix("put ").rstrip(".").partition(" into the state ")
    state, room = state.strip('"'), thing.rpartition("/")[0]
    said = [(kind, about) for kind, about, _ in moment.choices]
    near = [(kind, about) for kind, about in said if kind == "put" and about.startswith(thing)]
    wanted = [("put", f"{thing} {state}"), *near, ("walk", thing), ("walk", room), said[0]]
    return said.index(next(one for one in wanted if one in said))


Choose = Callable[[Moment, Floats], int]


async def play(session: SharedSession, seed: int, choose: Choose) -> tuple[list[Steps], Floats]:
    """Return what each agent of an episode did, and its return."""
    await session.begin(seed)
    trodden = {agent: Steps() for agent in session.learners}

    async def learn(agent: str) -> None:
        before = Counter[str]()

        async def answer(prompt: LearnerPrompt) -> str:
            moment = read(prompt)
            if moment is None:
                return WAIT
            seen = look(moment, before)
            chosen = choose(moment, seen)
            trodden[agent].seen.append(seen)
            trodden[agent].chosen.append(chosen)
            trodden[agent].ticks.append(prompt.tick)
            said = moment.choices[chosen][2]
            before[said] += 1
            return said

        await session.play(agent, answer)
        turns = session.transcript(agent)
        trodden[agent].to_go = [turn.reward_to_go for turn in turns][: len(trodden[agent].chosen)]

    await asyncio.gather(*map(learn, session.learners))
    return list(trodden.values()), np.array(list(session.returns.values()))


def compare_to_usual(lived: Sequence[Steps]) -> Floats:
    """Return how much better than usual at that time of an episode each choice turned out."""
    to_go = np.array([value for steps in lived for value in steps.to_go])
    when = np.array([tick for steps in lived for tick in steps.ticks]) // 5
    total = np.bincount(when, to_go)
    better = to_go - (total / np.maximum(1, np.bincount(when)))[when]
    return np.asarray(better / max(better.std(), 0.2))


async def measure(session: SharedSession, seeds: Sequence[int], choose: Choose) -> float:
    """Return the mean return of an agent."""
    return float(np.mean([(await play(session, seed, choose))[1] for seed in seeds]))


async def find_optimum(session: SharedSession, seeds: Sequence[int]) -> float:
    """Return what an agent earns by the shortest ways, in the mean."""
    optimum, best = get_task("errand").find_optimum or (lambda env: {}), list[float]()
    for seed in seeds:
        await session.begin(seed)
        best += optimum(session.env).values()
    return float(np.mean(best))


@dataclass(frozen=True)
class Budget:
    """Episodes to be shown, batches of episodes to learn from, and how often it is measured."""

    shown: int = 4
    batches: int = 32
    episodes: int = 6
    measured: int = 15
    every: int = 8


@dataclass(frozen=True)
class Curve:
    """What an agent earned in held-out towns, after so many episodes of training."""

    seed: int
    shown: int
    at: list[int]
    earned: list[float]


async def train(seed: int, budget: Budget) -> Curve:
    """Return how a network came to learn."""
    rng = np.random.default_rng(seed)
    network, session = Network(rng), SharedSession("errand")
    training = [int(s) for s in rng.permutation(list_seeds("training"))]
    held_out = list_seeds("held_out")[: budget.measured]

    def best(moment: Moment, seen: Floats) -> int:
        return int(network.score(seen)[0].argmax())

    def draw(moment: Moment, seen: Floats) -> int:
        likely = network.score(seen)[0]
        return int(rng.choice(len(likely), p=likely))

    def show(moment: Moment, seen: Floats) -> int:
        return solve(moment) if rng.random() < 0.5 else int(rng.integers(len(seen)))

    at, earned = [0], [await measure(session, held_out, best)]
    shown = [s for k in range(budget.shown) for s in (await play(session, training[k], show))[0]]
    pairs = [(seen, k, 1.0) for s in shown for seen, k in zip(s.seen, s.chosen, strict=True)]
    if pairs:
        for _ in range(30):
            network.learn(pairs, 0.01, 0.0)
        at.append(budget.shown)
        earned.append(await measure(session, held_out, best))
    for batch in range(budget.batches):
        first = budget.shown + batch * budget.episodes
        lived = [
            steps
            for k in range(first, first + budget.episodes)
            for steps in (await play(session, training[k % len(training)], draw))[0]
        ]
        better = compare_to_usual(lived)
        acts = [act for s in lived for act in zip(s.seen, s.chosen, strict=True)]
        weighed = [(seen, k, w) for (seen, k), w in zip(acts, better, strict=True)]
        network.learn(weighed, 0.004, 0.003)
        if (batch + 1) % budget.every == 0:
            at.append(first + budget.episodes)
            earned.append(await measure(session, held_out, best))
    await session.close()
    return Curve(seed, budget.shown, at, earned)


async def compare(budget: Budget) -> dict[str, float]:
    """Return what others earn on the held-out seeds."""
    rng, seeds = np.random.default_rng(0), list_seeds("held_out")[: budget.measured]
    session = SharedSession("errand")
    return {
        "optimum": await find_optimum(session, seeds),
        "by rule": await measure(session, seeds, lambda moment, seen: solve(moment)),
        "random": await measure(session, seeds, lambda moment, seen: int(rng.integers(len(seen)))),
    }


def draw_curves(curves: Sequence[Curve], others: dict[str, float], path: Path) -> None:
    """Draw what was earned in held-out towns after so many episodes, a line a seed."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4), dpi=120)
    for curve in curves:
        color, name = (
            ("tab:blue", "shown, then by reward")
            if curve.shown
            else (
                "tab:orange",
                "by reward alone",
            )
        )
        known = axes.get_legend_handles_labels()[1]
        axes.plot(curve.at, curve.earned, color=color, label=None if name in known else name)
    for (name, value), style in zip(others.items(), ("-", "--", ":"), strict=True):
        axes.axhline(value, color="black", linewidth=1, linestyle=style, label=name)
    axes.set(xlabel="episodes of three agents", ylabel="return of an agent, held-out towns")
    axes.legend(loc="center right", fontsize="small")
    figure.tight_layout()
    figure.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, default=0, help="The first of the seeds.")
    parser.add_argument("--shown", type=int, nargs="*", default=[4, 0], help="Episodes shown.")
    parser.add_argument("--out", type=Path, default=Path("runs/learn_from_text"))
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    others = asyncio.run(compare(Budget()))
    print(" ".join(f"{name} {value:.3f}" for name, value in others.items()))
    for seed in range(chosen.first, chosen.first + chosen.seeds):
        for shown in chosen.shown:
            curve = asyncio.run(train(seed, Budget(shown=shown)))
            kept = chosen.out / f"curve-{shown}-{seed}.json"
            kept.write_text(json.dumps(asdict(curve)), encoding="utf-8")
            print(
                f"seed {seed}, shown {shown}: untrained {curve.earned[0]:.3f}, "
                f"learned {curve.earned[-1]:.3f}, "
                f"{curve.earned[-1] / others['optimum']:.3f} of the optimum",
                flush=True,
            )
    kept = sorted(chosen.out.glob("curve-*.json"))
    curves = [Curve(**json.loads(path.read_text("utf-8"))) for path in kept]
    draw_curves(curves, others, chosen.out / "learn_from_text.png")


if __name__ == "__main__":
    main()
