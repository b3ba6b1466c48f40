"""Public testing parts: checks for envs and policies, a scripted model, a fault server."""

from genagents_env.testing.check_env import EnvContractError, check_env
from genagents_env.testing.check_policy import PolicyContractError, check_policy
from genagents_env.testing.legal import legal_mask, sample_legal

__all__ = [
    "EnvContractError",
    "PolicyContractError",
    "check_env",
    "check_policy",
    "legal_mask",
    "sample_legal",
]
