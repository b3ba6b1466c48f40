"""What scripted models reply to the prompts of this mind: plans by the routine and the news."""

from genagents_env.llm.scripted import ReplyRules, ScriptedReplies
from genagents_env.llm.scripted.interview import honest, inventive

from ..converse import Relationship, Utterance
from ..hours import Hours
from ..interview import Told
from ..memo import Memo
from ..outline import DayPlan, Renewal
from ..perceive import Ratings
from ..pieces import Pieces
from ..react import Reaction
from ..reflect import Insights, Questions
from ..spots import Spots
from ..summary import Description
from ..tree import Choice, Use
from . import day, places, talk, thoughts

_GOSSIP: ReplyRules = {
    Renewal: day.renewal,
    DayPlan: day.outline,
    Hours: day.hours,
    Pieces: day.pieces,
    Spots: places.spots,
    Choice: places.choice,
    Use: places.use,
    Ratings: thoughts.ratings,
    Description: thoughts.description,
    Questions: thoughts.questions,
    Insights: thoughts.insights,
    Reaction: talk.talkative,
    Relationship: talk.relation,
    Utterance: talk.utterance,
    Memo: talk.memo,
    Told: honest,
}
_MUTE: ReplyRules = {**_GOSSIP, Reaction: talk.reserved, Utterance: talk.silence}

REPLIES: ScriptedReplies = {
    "gossip": _GOSSIP,
    "chatty": {**_GOSSIP, Utterance: talk.chat},
    "mute": _MUTE,
    "inventor": {**_MUTE, Told: inventive},
}
