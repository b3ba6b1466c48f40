"""A ranking from pairwise comparisons, with its uncertainty."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from genagents_env.study.stats.extra import import_extra
from genagents_env.study.stats.samples import Floats, make_generator

Winner = Literal["first", "second", "tie"]
Match = tuple[str, str, Winner]
_PASSES = 8
_NORMAL = 1.96  # standard deviations on either side that hold 95 % of a normal distribution
_MIRROR: dict[Winner, Winner] = {"first": "second", "second": "first", "tie": "tie"}


@dataclass(frozen=True, slots=True)
class Skill:
    """One competitor's place: `mu` the skill, `sigma` its uncertainty, on a scale from 25 on.

    `low` and `high` are mu -/+ 1.96 sigma. Two whose intervals overlap cannot be distinguished.
    """

    name: str
    mu: float
    sigma: float
    low: float
    high: float
    wins: int
    losses: int
    ties: int


def rank(matches: Sequence[Match], seed: int = 0) -> tuple[Skill, ...]:
    """Return everyone who was compared, best first; equal ones by name.

    Skills of the Plackett-Luce model, approximated by Bayesian updates after each match (Weng and
    Lin 2011, J. Mach. Learn. Res. 12:267; openskill). Such updates depend on the order of matches,
    which here means nothing: the matches are sorted, then mu and sigma are averaged over 8
    orders drawn from `seed`. Skills do not drift (tau is 0): a competitor is the same throughout.

    Args:
        matches: (name, another name, who won); any order, either side first, may be empty.
        seed: of the orders.

    Raises:
        ConfigError: the extra `lab` is not installed.
    """
    games = sorted(m if m[0] < m[1] else (m[1], m[0], _MIRROR[m[2]]) for m in matches)
    names = sorted({name for game in games for name in game[:2]})
    if not names:
        return ()
    model = import_extra("openskill.models").PlackettLuce(tau=0.0)
    orders = make_generator(seed, "ranking")
    means = np.zeros((len(names), 2))
    for _ in range(_PASSES):
        order = orders.permutation(len(games)).tolist()
        means += _play(model, names, [games[i] for i in order]) / _PASSES
    found = zip(names, means.tolist(), strict=True)
    skills = (_make_skill(name, mu, sigma, games) for name, (mu, sigma) in found)
    return tuple(sorted(skills, key=lambda skill: (-skill.mu, skill.name)))


def _play(model: Any, names: Sequence[str], games: Sequence[Match]) -> Floats:
    """Return mu and sigma of each name after these games in their order, shape (names, 2)."""
    players = {name: model.rating(name=name) for name in names}
    ranks: dict[Winner, list[int]] = {"first": [0, 1], "second": [1, 0], "tie": [0, 0]}
    for first, second, winner in games:
        sides = [[players[first]], [players[second]]]
        (players[first],), (players[second],) = model.rate(sides, ranks=ranks[winner])
    return np.array([(p.mu, p.sigma) for p in players.values()])


def _make_skill(name: str, mu: float, sigma: float, games: Sequence[Match]) -> Skill:
    low, high = mu - _NORMAL * sigma, mu + _NORMAL * sigma
    own = [(first, second, won) for first, second, won in games if name in (first, second)]
    ties = sum(won == "tie" for *_, won in own)
    wins = sum(won == ("first" if first == name else "second") for first, _, won in own)
    return Skill(name, mu, sigma, low, high, wins, len(own) - wins - ties, ties)
