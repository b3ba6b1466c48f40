"""Language models as learners: they are asked what minds are asked, and earn the town's rewards."""

from genagents_env.learn.session import Session
from genagents_env.learn.shared_session import SharedSession
from genagents_env.learn.town_tools import TownTools
from genagents_env.learn.turn import ChatTurn, LearnerPrompt, TurnResult

__all__ = ["ChatTurn", "LearnerPrompt", "Session", "SharedSession", "TownTools", "TurnResult"]
