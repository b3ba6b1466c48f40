"""Public testing parts: checks for envs and policies, a scripted model, a fault server."""

from genagents_env.testing.check_env import EnvFault, check_env
from genagents_env.testing.check_policy import PolicyFault, check_policy
from genagents_env.testing.legal import legal_mask, sample_legal

__all__ = [
    "EnvFault",
    "PolicyFault",
    "check_env",
    "check_policy",
    "legal_mask",
    "sample_legal",
]
