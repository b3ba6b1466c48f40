"""What the scripted neighbour replies to interviews of this mind; its decisions are samples."""

from genagents_env.llm.scripted import ScriptedReplies
from genagents_env.llm.scripted.interview import answer_honestly

from .interview import ReactiveAnswer

REPLIES: ScriptedReplies = {ReactiveAnswer: answer_honestly}
