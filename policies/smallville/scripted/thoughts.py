"""What goes on inside: what matters, what the agent makes of it, and who it is."""

from genagents_env.llm.scripted import news
from genagents_env.llm.scripted.prompt import Prompt, PromptLine
from genagents_env.llm.scripted.wording import cut_text

_SENTENCE = 400  # characters
_NEWS, _SPOKEN, _SEEN = 9, 3, 1  # importance
_INSIGHT = 4
_MOST_INSIGHTS = 2


def rate_lines(prompt: Prompt) -> dict[str, object]:
    """Return how important each line is: news much, what was said a little, the rest hardly."""
    given = [_rate_line(line) for line in prompt.lines if line.number is not None]
    count = prompt.find_limit("minItems", len(given), "ratings")
    return {"ratings": ([_SEEN] * count + given)[-count:] if count else []}


def describe_self(prompt: Prompt) -> dict[str, object]:
    """Return who the agent is, from the first words of who it is and what it is up to."""
    who = prompt.self.partition(". ")[0].removeprefix("You are ")
    status = next((line.text for line in prompt.lines if line.head == "these days"), "")
    return {
        "core": cut_text(f"I am {who}", _SENTENCE),
        "occupation": cut_text(
            f"I have this in mind: {status}" if status else "I am busy", _SENTENCE
        ),
        "progress": "I take the days as they come.",
    }


def keep_status(prompt: Prompt) -> dict[str, object]:
    """Return what the agent is up to: the same as before."""
    status = next((line.text for line in prompt.lines if line.head == "these days"), "")
    return {"status": status or "I live as usual."}


def ask_questions(prompt: Prompt) -> dict[str, object]:
    """Return what the agent asks itself: of each line in turn what it means."""
    count = prompt.find_limit("minItems", 1, "questions")
    told = [*(item.statement for item in news.find_news(prompt.lines)), *_list_utterances(prompt)]
    asked = list(
        dict.fromkeys(cut_text(f"What does it mean that {text}", _SENTENCE) for text in told)
    )
    asked += [f"What did I learn lately, {number}?" for number in range(1, count + 1)]
    return {"questions": asked[:count]}


def draw_insights(prompt: Prompt) -> dict[str, object]:
    """Return the news among the lines, else the first of them, with their numbers."""
    most = prompt.find_limit("maxItems", 1, "insights")
    told = [item for item in news.find_news(prompt.lines) if item.number is not None]
    first = [line for line in prompt.lines if line.number is not None][:1]
    found = [(item.statement, item.number, _NEWS) for item in told]
    found = found or [(line.text, line.number, _INSIGHT) for line in first]
    return {
        "insights": [
            {"insight": cut_text(text, _SENTENCE), "importance": importance, "because": [number]}
            for text, number, importance in found[: min(most, _MOST_INSIGHTS)]
        ]
    }


def _rate_line(line: PromptLine) -> int:
    if news.is_news(news.extract_statement(line)):
        return _NEWS
    return _SEEN if news.is_sight(line) else _SPOKEN


def _list_utterances(prompt: Prompt) -> list[str]:
    return [line.text for line in prompt.lines if " said to " in line.text]
