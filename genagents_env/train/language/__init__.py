"""Language models as learners: they are asked what minds are asked, and earn the town's rewards."""

from genagents_env.train.language.session import Session
from genagents_env.train.language.shared_session import SharedSession
from genagents_env.train.language.turn import ChatTurn, LearnerPrompt, TurnResult

__all__ = ["ChatTurn", "LearnerPrompt", "Session", "SharedSession", "TurnResult"]
