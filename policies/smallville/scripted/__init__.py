"""What scripted models reply to the prompts of this mind: plans by the routine and the news."""

from genagents_env.cognition.interview import AnswerReply
from genagents_env.llm.scripted import ReplyRules, ScriptedReplies
from genagents_env.llm.scripted.interview import answer_honestly, invent_answer

from ..converse import Utterance
from ..ground import ObjectUse, PlaceChoice, Spots
from ..memo import Memo, RelationshipReply
from ..perceive import Ratings
from ..pieces import Pieces
from ..plan import DayPlanReply, HoursReply, Renewal, RestOfDayReply
from ..react import Reaction
from ..reflect import Insights, Questions
from ..summary import ContextReply, Description, StatusReply
from . import company, day, neighbour, places, talk, thoughts

_GOSSIP: ReplyRules = {
    Renewal: day.renew_status,
    DayPlanReply: day.outline_day,
    RestOfDayReply: day.outline_day,
    HoursReply: day.plan_hours,
    Pieces: day.cut_pieces,
    Spots: places.choose_spots,
    PlaceChoice: places.choose_place,
    ObjectUse: places.choose_object,
    Ratings: thoughts.rate_lines,
    Description: thoughts.describe_self,
    StatusReply: thoughts.keep_status,
    Questions: thoughts.ask_questions,
    Insights: thoughts.draw_insights,
    Reaction: talk.choose_to_talk,
    RelationshipReply: talk.describe_relationship,
    Utterance: talk.tell_news,
    Memo: talk.write_memo,
    ContextReply: talk.sum_up,
    AnswerReply: answer_honestly,
}
_MUTE: ReplyRules = {**_GOSSIP, Reaction: talk.choose_to_go_on, Utterance: talk.stay_silent}
_NEIGHBOUR: ReplyRules = {
    **_GOSSIP,
    Pieces: neighbour.take_apart,
    Spots: neighbour.choose_spots,
    Reaction: company.choose_company,
    Utterance: company.speak_at_length,
    Memo: company.write_memo,
    Ratings: neighbour.rate_lines,
    Insights: neighbour.draw_insights,
}

REPLIES: ScriptedReplies = {
    "gossip": _GOSSIP,
    "chatty": {**_GOSSIP, Utterance: talk.chat},
    "neighbour": _NEIGHBOUR,
    "mute": _MUTE,
    "inventor": {**_MUTE, AnswerReply: invent_answer},
}
