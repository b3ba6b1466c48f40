import pytest


@pytest.fixture
def unpictured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the figures out, which take most of the time."""
    monkeypatch.setattr("genagents_env.study.report.writing._draw", lambda study: ([], ""))
