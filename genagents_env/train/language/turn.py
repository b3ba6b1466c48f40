"""One turn of a learning agent: its prompt, its reply, and the result."""

from dataclasses import dataclass, fields

from genagents_env.llm.calls import JSONSchema, JSONValue, Message
from genagents_env.llm.schemas import make_response_format
from genagents_env.policy import AgentID


@dataclass(frozen=True, slots=True)
class LearnerPrompt:
    """The prompt of a learning agent's turn.

    Attributes:
        agent: by id.
        number: of the turn in the episode, from 0.
        tick: of the town.
        messages: the prompt; the last one is new, those before say who one is and earlier turns.
        schema: of the reply, as JSON schema; None for plain words.
        schema_name: that a request gives it.
        reward: earned since the turn before.
        fault: why the last reply was unusable, so that the declared fallback was taken; or None.
        illegal: True if the world refused the action last begun.
    """

    agent: AgentID
    number: int
    tick: int
    messages: tuple[Message, ...]
    schema: JSONSchema | None
    schema_name: str
    reward: float
    fault: str | None
    illegal: bool

    @property
    def response_format(self) -> dict[str, JSONValue] | None:
        """The `response_format` of a request to a chat server; None for plain words."""
        return None if self.schema is None else make_response_format(self.schema, self.schema_name)

    @property
    def system(self) -> str:
        """The system prompt, the same in every turn of an episode; "" without one."""
        return self.messages[0].content if self.messages[0].role == "system" else ""

    @property
    def user(self) -> str:
        """The last message: what the agent perceives now."""
        return self.messages[-1].content


@dataclass(frozen=True, slots=True)
class TurnResult:
    """The result of a reply.

    Attributes:
        reward: earned until the agent was asked again, or until the end.
        done: True once the episode is over.
        fault: why the reply was unusable, or None.
        illegal: True if the world refused the action.
        prompt: of the next turn; None at the end.
    """

    reward: float
    done: bool
    fault: str | None
    illegal: bool
    prompt: LearnerPrompt | None


@dataclass(frozen=True, slots=True)
class ChatTurn:
    """One decision of an agent as a row to learn from; of a session or of a recorded run.

    Attributes:
        scenario: its name.
        seed: of the episode.
        agent: who decided, by id.
        policy: in whose form it was asked.
        model: that wrote the reply.
        purpose: of the call.
        tick: of the town.
        prompt: the messages of the request.
        reply: as the model wrote it; of a recorded run the value as canonical JSON.
        reward: earned from this decision to the agent's next one.
        reward_to_go: earned from this decision to the end of the episode.
        fallback: True if the reply was unusable and the declared default was taken.
        episode_return: the agent's return in the episode.
        success: True if the task was done when the episode ended.
        run: the file of a recorded run; empty for a session.
        tokens: of the reply by the trainer's tokenizer, where it gave them; else empty.
        logprobs: of these.
    """

    scenario: str
    seed: int
    agent: AgentID
    policy: str
    model: str
    purpose: str
    tick: int
    prompt: tuple[Message, ...]
    reply: str
    reward: float
    reward_to_go: float
    fallback: bool
    episode_return: float
    success: bool
    run: str = ""
    tokens: tuple[int, ...] = ()
    logprobs: tuple[float, ...] = ()

    @property
    def messages(self) -> tuple[Message, ...]:
        """The prompt, then the reply as the assistant's message."""
        return (*self.prompt, Message("assistant", self.reply))

    @property
    def mask(self) -> tuple[int, ...]:
        """For each of `messages` 1 where the model wrote it in this decision, else 0."""
        return (*(0 for _ in self.prompt), 1)

    def to_json(self) -> dict[str, JSONValue]:
        """Return the row as JSON values, messages as `{"role", "content"}`."""
        row: dict[str, JSONValue] = {
            "messages": [{"role": m.role, "content": m.content} for m in self.messages],
            "mask": list(self.mask),
        }
        rest = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "prompt"}
        return row | {k: list(v) if isinstance(v, tuple) else v for k, v in rest.items()}
