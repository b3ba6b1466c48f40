import pytest


@pytest.fixture
def unpictured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the figures and pictures out, which take most of the time."""
    monkeypatch.setattr("genagents_env.report.writing._draw", lambda extra, draw: ([], ""))
    monkeypatch.setattr("genagents_env.report.writing.draw_moments", lambda run, number: ())
