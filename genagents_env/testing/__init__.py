"""Public testing parts: checks for envs and policies, a scripted model, a fault server."""

from .check_env import EnvFault, check_env
from .check_policy import PolicyFault, check_policy
from .legal import legal_mask, sample_legal

__all__ = [
    "EnvFault",
    "PolicyFault",
    "check_env",
    "check_policy",
    "legal_mask",
    "sample_legal",
]
