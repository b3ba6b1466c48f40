"""The package by which verifiers finds the town: `vf-eval genagents-town`."""

from genagents_env.train.language.verifiers_town import TownTaskset, VerifiersTown

__all__ = ["TownTaskset", "VerifiersTown"]
