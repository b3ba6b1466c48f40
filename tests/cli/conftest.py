import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from genagents_env.cli import main
from genagents_env.testing.fault_server import FaultServer

Run = Callable[..., tuple[int, str, str]]
Serve = Callable[..., FaultServer]


@pytest.fixture
def genagents(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Iterator[Run]:
    """Yield a function that runs the command line and gives (exit code, stdout, stderr).

    What a command is told to log ends with the test, as it ends with a process.
    """
    monkeypatch.chdir(tmp_path)
    logger, factory = logging.getLogger("genagents_env"), logging.getLogRecordFactory()
    level, handlers = logger.level, list(logger.handlers)

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["genagents", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        code = ended.value.code
        return (0 if code is None else int(code)), out, err

    yield run
    logger.setLevel(level)
    logger.handlers = handlers
    logging.setLogRecordFactory(factory)


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Yield a function that begins a server with such faults, which is the endpoint from then on.

    Nobody waits before another attempt; all servers end with the test.
    """
    monkeypatch.setattr("genagents_env.llm.retries.RetryPolicy.wait", lambda *_: 0.0)
    with ExitStack() as servers:

        def begin(*faults: object, **how: object) -> FaultServer:
            server = servers.enter_context(FaultServer(*faults, **how))  # type: ignore[arg-type]
            monkeypatch.setenv("OPENAI_BASE_URL", server.url)
            monkeypatch.setenv("OPENAI_API_KEY", "sk-local-0123456789abcdef")
            return server

        yield begin
