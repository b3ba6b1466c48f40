"""Errors of one attempt that carry what the retry loop must know."""

from genagents_env.errors import LLMBadReply, LLMRefused, LLMUnavailable


class AttemptFailed(LLMUnavailable):
    """One attempt got no completion: no answer, or one that is something else.

    Attributes:
        retry_after: seconds the endpoint asks to wait, or None when it does not say.
        billed: whether the endpoint may have done, and charged for, the work.
        overloaded: whether it had too much to do.
    """

    def __init__(
        self,
        text: str,
        *,
        retry_after: float | None = None,
        billed: bool = True,
        overloaded: bool = False,
    ) -> None:
        super().__init__(text)
        self.retry_after, self.billed, self.overloaded = retry_after, billed, overloaded


class NothingSaid(AttemptFailed):
    """Thinking used up the room of the answer: it is asked for again at once, with more room."""


class PromptRefused(LLMRefused):
    """The endpoint refuses this one prompt (too long, filtered); others may be answered."""


class UnusableReply(LLMBadReply):
    """The words of a completion are not the reply asked for; `text` is the completion."""

    def __init__(self, fault: str, text: str = "") -> None:
        super().__init__(fault)
        self.text = text
