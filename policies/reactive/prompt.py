"""The prompt of a decision: who the agent is, what it perceives and may do; within a length."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from jinja2 import Template

from genagents_env.llm.calls import JSONValue, Message
from genagents_env.llm.prompts import fence, load_prompt, run_fence
from genagents_env.llm.tokens import bound_prompt_tokens, bound_tokens
from genagents_env.percept import Percept
from genagents_env.policy import Profile

from .config import ReactiveConfig
from .mind import ReactiveMind, RememberedLine
from .options import OptionLimits, ReactiveOption, list_options

_WORDS = 140  # characters of an utterance that are shown
_SYSTEM_SHARE = 0.5  # of the prompt at most for who the agent is
_MARK = 6  # characters of the fence's mark: it is read by small models, and cannot be forged anyway


@dataclass(frozen=True, slots=True)
class PromptExtent:
    """How much of everything is shown; `tighter` gives the next smaller one."""

    limits: OptionLimits = field(default_factory=OptionLimits)
    lines: int = 5
    facts: int = 2
    people: int = 4
    words: int = _WORDS

    def tighten(self, step: int) -> "PromptExtent":
        """Return room for one thing less, another thing at every step."""
        limits = self.limits
        match step % 6:
            case 0:
                return replace(self, lines=max(0, self.lines - 1))
            case 1:
                return replace(self, limits=replace(limits, objects=max(0, limits.objects - 1)))
            case 2:
                return replace(self, limits=replace(limits, places=max(0, limits.places - 1)))
            case 3:
                return replace(self, words=max(12, self.words * 3 // 4))
            case 4:
                return replace(self, people=max(0, self.people - 1))
            case _:
                fewer = replace(limits, people=max(1, limits.people - 1))
                return replace(self, facts=max(0, self.facts - 1), limits=fewer)


class ReactivePrompts:
    """The prompt files, filled in for one run.

    Args:
        seed: of the run; decides the mark of the fence.
        config: the policy's options.
    """

    def __init__(self, seed: int, config: ReactiveConfig) -> None:
        folder = Path(__file__).parent
        self.config, self.mark = config, run_fence(seed)[:_MARK]
        self.system: Template = load_prompt(folder / "system.jinja")
        self.user: Template = load_prompt(folder / "user.jinja")
        self.question: Template = load_prompt(folder / "interview.jinja")

    def format_messages(
        self, who: str, profile: Profile, mind: ReactiveMind, percept: Percept
    ) -> tuple[list[Message], dict[str, ReactiveOption]]:
        """Return the prompt and the options it offers; at most `config.prompt_tokens` long.

        `who`: the system message, from `who`.
        The system message depends on the profile alone, so that its prefix is cached. Everything
        other people said, do or chose to call a thing's state stands inside the fence.
        """
        system = Message("system", who)
        room = PromptExtent(lines=self.config.remember)
        for step in range(40):
            choices = list_options(profile, percept, room.limits, talk_first=mind.social)
            user = Message("user", self._render_user(mind, percept, choices, room))
            if bound_prompt_tokens([system, user]) <= self.config.prompt_tokens:
                break
            room = room.tighten(step)
        return [system, user], choices

    def format_system(self, profile: Profile, *, asked: bool = False) -> str:
        """Return the system message: as much of the person as its share of the prompt allows.

        `asked`: it ends with how to answer an interviewer, not with how to decide.
        Goal and facts come before the persona, of which whole sentences are told where at least
        one fits, otherwise the first words of the first.
        """
        sentences = profile.sentences
        facts = [fact.statement for fact in profile.facts]
        words = sentences[0].split() if sentences else []
        personas = ["; ".join(sentences[:kept]) for kept in range(len(sentences), 0, -1)]
        personas += [" ".join(words[:kept]) + "…" for kept in range(len(words) - 1, 3, -1)]
        limit = int(self.config.prompt_tokens * _SYSTEM_SHARE)
        goals = list(dict.fromkeys((profile.goal, profile.goal.split(":")[0][:120], "")))
        for told, goal in [(facts, goal) for goal in goals] + [(facts[:1], ""), ([], "")]:
            for persona in personas:
                text = self._render_system(profile, persona, goal, told, asked)
                if bound_tokens(text) <= limit:
                    return text
        return self._render_system(profile, "", "", [], asked)

    def _render_system(
        self, profile: Profile, persona: str, goal: str, facts: list[str], asked: bool
    ) -> str:
        return self.system.render(
            name=profile.name,
            age=profile.age,
            traits=", ".join(profile.traits)[:60],
            persona=persona,
            goal=goal,
            home=profile.home[:60],
            workplace=(profile.workplace or "")[:60],
            facts=facts,
            asked=asked,
        ).strip()

    def _render_user(
        self,
        mind: ReactiveMind,
        percept: Percept,
        choices: dict[str, ReactiveOption],
        room: PromptExtent,
    ) -> str:
        return self.user.render(
            clock=percept.time.strftime("%A %H:%M"),
            place=percept.me.place,
            why=" ".join(mind.why)[: room.words],
            data=fence(_list_lines(mind, percept, room), self.mark),
            options=", ".join(choices),
            talking=mind.social and any(choice.kind == "talk" for choice in choices.values()),
        ).strip()


def _list_lines(mind: ReactiveMind, percept: Percept, room: PromptExtent) -> list[JSONValue]:
    """List the lines inside the fence: a head, then words."""
    doing = mind.activity.doing or percept.me.doing
    lines: list[JSONValue] = [["you", doing[: room.words]]]
    for person in percept.people[: room.people]:
        state = "asleep" if person.asleep else person.doing[: room.words // 2]
        lines.append([person.name, "is", state])
    things = [item for item in percept.objects if item.next_states]
    lines += [
        [item.name, "is", item.state[: room.words // 2]] for item in things[: room.limits.objects]
    ]
    shown = mind.lines[len(mind.lines) - room.lines :] if room.lines else ()
    known = [line for _, line in mind.facts if line not in shown]
    lines += [format_line(line, room.words) for line in (*known[: room.facts], *shown)]
    return lines


def format_line(line: RememberedLine, words: int) -> list[JSONValue]:
    """Return a remembered line as it stands inside a fence, cut to so many characters."""
    return [line.source, "was" if line.source == "result" else "said", line.text[:words]]
