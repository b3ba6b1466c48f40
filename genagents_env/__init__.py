"""A town of generative agents as a PettingZoo ParallelEnv.

Importing this package is cheap: it pulls in no policy, no language-model library, nor PettingZoo.
"""

from genagents_env.registration import register_town

__version__ = "0.1.0"

register_town()
