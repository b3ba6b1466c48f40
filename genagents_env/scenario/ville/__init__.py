"""Maps in the matrices of Smallville's public code (joonspk-research/generative_agents)."""

from genagents_env.scenario.ville.drawing import read_ville

__all__ = ["read_ville"]
