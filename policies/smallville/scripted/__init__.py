"""What the scripted neighbour replies to the prompts of this mind."""

import re
from collections import Counter

from genagents_env.cognition.interview import AnswerReply
from genagents_env.llm.scripted import ScriptedReplies, news, talk
from genagents_env.llm.scripted.interview import answer_honestly
from genagents_env.llm.scripted.prompt import Prompt, PromptLine
from genagents_env.llm.scripted.wording import compile_words, cut_text, join_sentences, phrase
from genagents_env.rng import draw_index

from ..converse import Utterance
from ..ground import ObjectUse, PlaceChoice, Spots
from ..memo import Memo, RelationshipReply
from ..perceive import Ratings
from ..pieces import Pieces
from ..plan import DayPlanReply, HoursReply, Renewal, RestOfDayReply
from ..react import Reaction
from ..reflect import Insights, Questions
from ..summary import ContextReply, Description, StatusReply
from . import day

_SPEECH, _SENTENCE, _PHRASE = 400, 160, 160  # characters
_READINESS = {True: 4, False: 8}  # of so many chances to talk one is taken, with news or without
_NEWS, _TALKED, _FAMILIAR, _USUAL = 5, 3, 3, 1  # importance
_COMPANY, _EVIDENCE = 2, 6  # people, and lines for each, of an insight
_ANNOUNCED = ("you hear the news", "a thought comes to you", "you notice", "you hear")
_AWAY_MINUTES = 30
_ABOUT = re.compile(r"(?:Who is|know of) (.+?)(?: for you)?, and how")
_PERSON = re.compile(r"\b[A-Z][\w'-]+ [A-Z][\w'-]+(?= (?:is|said|knows|was)\b)")


def choose_company(prompt: Prompt) -> dict[str, object]:
    """Return the decision to leave where there is danger, else now and then to talk."""
    if _is_in_danger(prompt):
        at_home = prompt.find_text("you are at").split("/")[0] == prompt.home.split("/")[0]
        what = f"{phrase('danger', 'activity')}, {'park' if at_home else 'home'}"
        return {"choice": "something else", "what": what, "minutes": _AWAY_MINUTES}
    chances = _READINESS[bool(talk.list_tidings(prompt))]
    ready = draw_index(prompt.seed, chances, "talks") == 0
    choices = [one for one in prompt.list_choices("choice") if one.startswith("talk to ")]
    return {"choice": choices[0] if choices and ready else "go on", "what": "", "minutes": 0}


def _is_in_danger(prompt: Prompt) -> bool:
    """Return True if what one heard last is an alarm, and of no other place than this."""
    heard = next((line for line in reversed(prompt.lines) if line.head in _ANNOUNCED), None)
    if heard is None or not compile_words("danger", "words").search(heard.text):
        return False
    where = news.find_place(heard.text)
    return not where or where in prompt.find_text("you are at")


def speak(prompt: Prompt) -> dict[str, object]:
    """Return one's next words in a talk."""
    words, ends = talk.say_next(prompt, _SPEECH)
    return {"say": words, "end": ends}


def write_memo(prompt: Prompt) -> dict[str, object]:
    """Return the news one was told, that one means to be there, and what one agreed to."""
    heard = [line for line in prompt.dialogue if line.speaker != "you"]
    told = [item.statement for item in news.find_news(prompt, heard)]
    dated = [text for text in told if news.find_date(text) is not None]
    return {
        "remember": join_sentences(told, _SPEECH) or phrase("talk", "small"),
        "plan": cut_text(dated[0], _PHRASE) if dated else "",
        "commitments": talk.list_agreements(prompt),
        "relationship": "",
        "importance": 8 if told else _TALKED,
        "changes_plan": bool(dated),
    }


def describe_relationship(prompt: Prompt) -> dict[str, object]:
    """Return the first line on the other that is no news and no sight, else that one has a name."""
    about = _ABOUT.search(prompt.words)
    other = about[1] if about else "them"
    ties = [line.text for line in prompt.lines if line.head.startswith("about ")]
    known = [line.text for line in prompt.numbered if news.is_known(line) and other in line.text]
    ties += [text for text in known if not news.is_news(text)]
    return {"relationship": cut_text((ties or [phrase("mind", "name", who=other)])[0], _SENTENCE)}


def sum_up(prompt: Prompt) -> dict[str, object]:
    """Return the first memories there are, as the summary of all."""
    return {"summary": cut_text(". ".join(line.text for line in prompt.numbered[:3]), _SENTENCE)}


def rate_lines(prompt: Prompt) -> dict[str, object]:
    """Return how important each line is: news matter, small talk and what one sees hardly do."""
    given = [_rate_line(prompt, line) for line in prompt.numbered]
    count = prompt.find_limit("minItems", len(given), "ratings")
    return {"ratings": ([_USUAL] * count + given)[-count:] if count else []}


def _rate_line(prompt: Prompt, line: PromptLine) -> int:
    if not any(map(news.is_news, news.list_statements(prompt, line))):
        return _USUAL
    overheard = " said to " in line.text and f" said to {prompt.name}" not in line.text
    return _TALKED if overheard else _NEWS


def describe_self(prompt: Prompt) -> dict[str, object]:
    """Return who the agent is, from the first words of who it is and what it is up to."""
    who, aim = prompt.self.partition(". ")[0], prompt.find_text("these days")
    return {
        "core": cut_text(who.replace("You are", "I am", 1), day.SENTENCE),
        "occupation": cut_text(
            phrase("talk", "aim", what=aim or phrase("mind", "usual")), day.SENTENCE
        ),
        "progress": phrase("mind", "progress"),
    }


def keep_status(prompt: Prompt) -> dict[str, object]:
    """Return what the agent is up to: the same as before."""
    return {"status": prompt.find_text("these days") or phrase("mind", "usual")}


def ask_questions(prompt: Prompt) -> dict[str, object]:
    """Return what the agent asks itself: of each piece of news and utterance what it means."""
    count = prompt.find_limit("minItems", 1, "questions")
    told = [item.statement for item in news.find_news(prompt)]
    told += [line.text for line in prompt.lines if " said to " in line.text]
    asked = [cut_text(phrase("mind", "question", what=text), day.SENTENCE) for text in told]
    asked += [phrase("mind", "learned", number=number) for number in range(1, count + 1)]
    return {"questions": list(dict.fromkeys(asked))[:count]}


def draw_insights(prompt: Prompt) -> dict[str, object]:
    """Return the news among the lines, and whom most of them are about, with their numbers."""
    lines, insights = prompt.numbered, []
    for item in news.find_news(prompt, lines):
        insights.append((item.statement, _NEWS, [item.number]))
    people = Counter(name for line in lines for name in set(_PERSON.findall(line.text)))
    ranked = sorted(people.items(), key=lambda entry: (-entry[1], entry[0]))
    for name, count in ranked[:_COMPANY]:
        if count > 1 and name != prompt.name:
            about = [line.number for line in lines if name in line.text][:_EVIDENCE]
            insights.append((phrase("mind", "familiar", who=name, count=count), _FAMILIAR, about))
    insights = insights or [(line.text, _FAMILIAR, [line.number]) for line in lines[:1]]
    most = prompt.find_limit("maxItems", 1, "insights")
    return {
        "insights": [
            {"insight": cut_text(text, day.SENTENCE), "importance": importance, "because": because}
            for text, importance, because in insights[:most]
        ]
    }


REPLIES: ScriptedReplies = {
    Renewal: day.renew_status,
    DayPlanReply: day.outline_day,
    RestOfDayReply: day.outline_day,
    HoursReply: day.plan_hours,
    Pieces: day.take_apart,
    Spots: day.choose_spots,
    PlaceChoice: day.choose_place,
    ObjectUse: day.choose_object,
    Ratings: rate_lines,
    Description: describe_self,
    StatusReply: keep_status,
    Questions: ask_questions,
    Insights: draw_insights,
    Reaction: choose_company,
    RelationshipReply: describe_relationship,
    Utterance: speak,
    Memo: write_memo,
    ContextReply: sum_up,
    AnswerReply: answer_honestly,
}
