"""What several budgets share: a total and a rate, kept by somebody else."""

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from genagents_env.llm.budget import Spend


class Account(Protocol):
    """A total and a rate that hold over many runs, in one process or in several."""

    async def admit(self, most: "Spend") -> None:
        """Set `most` aside, once the rate allows it.

        It waits for the rate, and while only reservations of calls in flight stand in the way.
        Cancelled, it leaves nothing set aside.

        Raises:
            BudgetExceeded: `most` does not fit beside what is already spent.
        """

    def settle(self, most: "Spend", used: "Spend") -> None:
        """Give back the reservation `most` and spend `used`; never waits."""
