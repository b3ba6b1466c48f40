"""The options: presets, what is given by name, what is not allowed."""

import pytest

from genagents_env.errors import ConfigError
from genagents_env.policies.ai_town import AiTownConfig
from genagents_env.run.policies import load_policy
from tests.policies.percepts import Value


def test_no_fault_of_the_originals_is_on_by_default() -> None:
    for preset in ("2024", "2023"):
        config = AiTownConfig(preset=preset)
        faults = (config.other_identity, config.invite_first_in_list, config.undefined_ties)
        assert not any((*faults, config.lose_failed))
        assert (config.recency, config.late_words) == ("decay", "drop")


@pytest.mark.parametrize("preset", ["2023", 2023])
def test_a_preset_goes_behind_what_is_given_by_name(preset: Value) -> None:
    config = AiTownConfig.model_validate({"preset": preset, "talk_seconds": 90})
    assert (config.meet, config.talk_seconds, config.message_seconds) == ("collision", 90, 3)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"preset": "2022"}, "preset"),
        ({"accept_chance": 1.5}, "accept_chance"),
        ({"latency_ticks": {"walk": 1}}, "latency_ticks"),
        ({"default_importance": 10}, "default_importance"),
    ],
)
def test_what_is_not_allowed_is_named(options: dict[str, Value], told: str) -> None:
    with pytest.raises(ConfigError, match=f"ai_town: {told}"):
        load_policy("ai_town", **options)
