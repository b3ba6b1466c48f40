import pytest


@pytest.fixture
def unpictured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the figures and pictures out, which take most of the time."""
    monkeypatch.setattr("genagents_env.report.writing._draw_figures", lambda _: ([], ""))
    monkeypatch.setattr("genagents_env.report.writing._draw_pictures", lambda _: {})
