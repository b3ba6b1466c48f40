import logging
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from genagents_env.cli import main

Run = Callable[..., tuple[int, str, str]]


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
