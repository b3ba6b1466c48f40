"""A budget server and its workers as processes of their own: spenders.py FOLDER PLAN.

PLAN is JSON: `tokens`, the total; `workers`, how many live at once; `kill_worker` and
`kill_server`, after how many billed calls each of them is killed with -9 (again and again).
Every worker asks a model as fast as it can until the budget is used up; the model bills exactly the
upper bound, and writes what it bills to a file before it answers. This process imports everything
once and forks the others, so that a kill costs no start-up. Prints one JSON object.
"""

import asyncio
import json
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import astuple
from pathlib import Path

from genagents_env.errors import BudgetExceeded, ConfigError
from genagents_env.llm.budget import Budget, upper_bound
from genagents_env.llm.calls import CallKey, Completion, CompletionRequest
from genagents_env.llm.scripted import ScriptedEndpoint, sample_schema
from genagents_env.rng import draw_index
from genagents_env.run import Limits
from genagents_env.sweep.design.experiment import RateLimit
from genagents_env.sweep.spending.client import BudgetClient
from genagents_env.sweep.spending.protocol import Address
from genagents_env.sweep.spending.server import BudgetServer
from tests.llm.asking import ask_choice, client_of

LOST = 4  # exit code of a worker that found no server
SPENT = 3
AT_ONCE = 3


class Billing(ScriptedEndpoint):
    """Bills exactly the upper bound of every request, on paper, before it answers."""

    def __init__(self, paper: Path) -> None:
        super().__init__()
        self.paper = os.open(paper, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    async def complete(self, request: CompletionRequest) -> Completion:
        bound = upper_bound(request, None).tokens
        os.write(self.paper, f"{bound}\n".encode())
        await asyncio.sleep(0.0005 * draw_index(request.seed, 4, "slow"))
        return Completion(sample_schema(request), "stop", bound - 128, 128)


def list_bills(folder: Path) -> list[int]:
    paper = folder / "billed"
    return [int(line) for line in paper.read_text().split()] if paper.exists() else []


def spend(folder: Path, number: int) -> int:
    """Ask until the budget is used up; return the exit code."""
    address = Address(*json.loads((folder / "address.json").read_text()))
    try:
        shared = BudgetClient(address, f"trial-{number}")
    except ConfigError:
        return LOST
    client = client_of(Billing(folder / "billed"), run_seed=number, budget=Budget(shared=shared))

    async def ask_on(agent: str) -> None:
        for tick in range(10**6):
            await ask_choice(client, CallKey(agent, tick, "act", 0))

    async def live() -> int:
        asks = (ask_on(f"agent {k}") for k in range(AT_ONCE))
        ends = await asyncio.gather(*asks, return_exceptions=True)
        return SPENT if all(isinstance(end, BudgetExceeded) for end in ends) else 1

    code = asyncio.run(live())
    shared.close()
    return code


def tell(folder: Path, tokens: int) -> int:
    """Be the server until a SIGTERM: address.json says where, spent.json what was spent."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    with BudgetServer(Limits(tokens=tokens), RateLimit(), folder / "spending.json") as server:
        write_json(folder / "address.json", list(astuple(server.address)))
        signal.sigwait([signal.SIGTERM])
    write_json(folder / "spent.json", [server.spent.tokens, server.exhausted])
    return 0


def write_json(path: Path, what: object) -> None:
    new = path.with_suffix(".new")
    new.write_text(json.dumps(what))
    new.replace(path)


def fork(live: Callable[[], int]) -> int:
    """Return the process id of a child that does `live`."""
    pid = os.fork()
    if pid:
        return pid
    try:
        os._exit(live())
    except BaseException:
        traceback.print_exc()
        os._exit(1)


class Stage:
    """Keeps the server and the workers alive, and kills them as the plan says."""

    def __init__(self, folder: Path, plan: dict[str, int]) -> None:
        self.folder, self.plan = folder, plan
        self.workers: list[int] = []
        self.ends: list[int] = []
        self.begun = self.kills = self.server_kills = 0
        self.server = 0

    def play(self) -> dict[str, object]:
        self.open()
        while SPENT not in self.ends:
            while len(self.workers) < self.plan["workers"]:
                self.begin_worker()
            time.sleep(0.002)
            self.reap()
            self.kill()
        while self.workers:
            time.sleep(0.002)
            self.reap()
        os.kill(self.server, signal.SIGTERM)
        os.waitpid(self.server, 0)
        spent, exhausted = json.loads((self.folder / "spent.json").read_text())
        kept = json.loads((self.folder / "spending.json").read_text())
        return {
            "billed": sum(list_bills(self.folder)),
            "largest": max(list_bills(self.folder)),
            "spent": spent,
            "kept": kept["tokens"],
            "exhausted": exhausted,
            "ends": sorted(set(self.ends)),
            "kills": self.kills,
            "server_kills": self.server_kills,
        }

    def open(self) -> None:
        address = self.folder / "address.json"
        address.unlink(missing_ok=True)
        self.server = fork(lambda: tell(self.folder, self.plan["tokens"]))
        while not address.exists():
            time.sleep(0.002)

    def begin_worker(self) -> None:
        self.begun += 1
        number = self.begun
        self.workers.append(fork(lambda: spend(self.folder, number)))

    def reap(self) -> None:
        for pid in list(self.workers):
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                self.workers.remove(pid)
                self.ends.append(os.waitstatus_to_exitcode(status))

    def kill(self) -> None:
        calls = len(list_bills(self.folder))
        every = self.plan.get("kill_worker")
        if every and calls >= every * (self.kills + 1) and self.workers:
            self.kills += 1
            victim = draw_index(self.kills, len(self.workers), "victim")
            os.kill(self.workers[victim], signal.SIGKILL)
        every = self.plan.get("kill_server")
        if every and calls >= every * (self.server_kills + 1):
            self.server_kills += 1
            os.kill(self.server, signal.SIGKILL)
            os.waitpid(self.server, 0)
            before = sum(list_bills(self.folder))
            kept = json.loads((self.folder / "spending.json").read_text())["tokens"]
            if kept < before:
                raise SystemExit(f"the journal says {kept}, billed were {before}")
            self.open()


def main() -> None:
    print(json.dumps(Stage(Path(sys.argv[1]), json.loads(sys.argv[2])).play()))


if __name__ == "__main__":
    main()
