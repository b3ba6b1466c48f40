import pytest

from genagents_env.errors import ConfigError
from genagents_env.policies.lyfe.config import LyfeConfig
from genagents_env.run.policies import load_policy


@pytest.mark.parametrize(
    ("variant", "switch"),
    [
        ("no_option_action", "option_action"),
        ("no_self_monitor", "self_monitor"),
        ("no_summarize_and_forget", "saf_memory"),
    ],
)
def test_a_variant_is_one_switch_and_nothing_else(variant: str, switch: str) -> None:
    ablated = LyfeConfig(variant=variant).model_dump()
    by_hand = LyfeConfig(**{switch: False}).model_dump()
    assert ablated.pop("variant") == variant
    by_hand.pop("variant")
    assert ablated == by_hand


def test_the_paper_differs_from_the_release_where_its_text_does() -> None:
    paper, release = (
        LyfeConfig(preset="paper").model_dump(),
        LyfeConfig(preset="release").model_dump(),
    )
    differ = {name for name in release if paper[name] != release[name]}
    assert differ == {"preset", "work_items", "repetition_of", "outlook_minutes"}


@pytest.mark.parametrize(
    "fields",
    [
        {"variant": "no_self_monitor", "self_monitor": True},
        {"forget_above": 0},
        {"latency_ticks": {"soul": 1}},
        {"colour": "red"},
    ],
)
def test_a_wrong_option_is_a_clear_error(fields: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match=r"lyfe: .*options: variant, preset"):
        load_policy("lyfe", **fields)
