"""What the scripted neighbour replies to the prompts of this mind."""

from collections.abc import Sequence

from genagents_env.cognition.interview import AnswerReply
from genagents_env.llm.scripted import ScriptedReplies, talk
from genagents_env.llm.scripted.interview import answer_honestly
from genagents_env.llm.scripted.prompt import Prompt, PromptLine
from genagents_env.rng import draw_index

from .choose import TurnReply
from .grammar import FOUR_TOOLS, find_prefix
from .interpret import ERROR, InterpretedReply
from .talk import SpokenReply

_SPEECH = 160  # characters
_LATELY = 8  # messages in which one looks for whom one talked with
_LEAVE = "(LEAVE CONVERSATION)"


def choose_tool(prompt: Prompt) -> dict[str, object]:
    """Return to talk to who is near and was not talked to lately, else to invite or to walk."""
    recent = " ".join(line.text for line in _list_history(prompt)[-_LATELY:])
    fresh = [name for name in prompt.list_names("here with you") if name not in recent]
    people = [name for name in prompt.list_names("person") if name != "nobody"]
    here = [
        line.heads[1] for line in prompt.lines if line.text == "you are here" and line.heads[1:]
    ]
    places = [place for place in prompt.list_names("place") if place not in here]
    draw = draw_index(prompt.seed, 4, "tool")
    if fresh and fresh[0] != "nobody":
        tool = f"(CONVERSE) {fresh[0]}"
    elif draw == 0 and people and places:
        tool = f"(CALL) {_draw(prompt, people, 'whom')}, {_draw(prompt, places, 'where')}"
    elif places and draw_index(prompt.seed, 5, "scans"):
        tool = f"(MOVE) {_draw(prompt, places, 'goes')}"
    else:
        tool = "(SCAN) to see what is around"
    return {"text": tool}


def speak(prompt: Prompt) -> dict[str, object]:
    """Return one's next words in a talk; the last of them leave it."""
    words, ends = talk.say_next(prompt, _SPEECH)
    return {"text": f"{words} {_LEAVE}" if ends else words}


def interpret_reply(prompt: Prompt) -> dict[str, object]:
    """Return the triple that the grammar reads in the reply."""
    prefix = find_prefix(prompt.find_text("reply"), FOUR_TOOLS)
    return {"triple": ["", ERROR, ""] if prefix is None else ["", prefix.tool, prefix.context]}


def _list_history(prompt: Prompt) -> Sequence[PromptLine]:
    """Return the last messages: a clock, whose it is, and the words."""
    return [line for line in prompt.lines if len(line.heads) == 2 and ":" in line.head]


def _draw(prompt: Prompt, names: Sequence[str], what: str) -> str:
    return names[draw_index(prompt.seed, len(names), what)]


REPLIES: ScriptedReplies = {
    TurnReply: choose_tool,
    InterpretedReply: interpret_reply,
    SpokenReply: speak,
    AnswerReply: answer_honestly,
}
