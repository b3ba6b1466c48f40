"""What scripted models reply to the prompts of this mind: to interviews; decisions are samples."""

from genagents_env.llm.scripted import ReplyRules, ScriptedReplies
from genagents_env.llm.scripted.interview import answer_honestly, invent_answer

from .interview import ReactiveAnswer

_HONEST: ReplyRules = {ReactiveAnswer: answer_honestly}

REPLIES: ScriptedReplies = {
    "gossip": _HONEST,
    "chatty": _HONEST,
    "mute": _HONEST,
    "inventor": {ReactiveAnswer: invent_answer},
}
