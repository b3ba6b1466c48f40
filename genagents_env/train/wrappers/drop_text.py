"""`DropText`: observations without their text."""

from gymnasium import spaces

from genagents_env.observe.spaces import AnySpace
from genagents_env.train.wrappers.observation import (
    Infos,
    Observations,
    ObservationWrapper,
    get_parts,
)


class DropText(ObservationWrapper):
    """Take the key `text` out of observations: for AgileRL and PufferLib, which know no Text."""

    def reshape_space(self, space: AnySpace, action_space: AnySpace) -> AnySpace:
        """Return the Dict without `text`."""
        parts = get_parts(space, "text")
        del parts["text"]
        return spaces.Dict(parts)

    def reshape(self, observations: Observations, infos: Infos) -> tuple[Observations, Infos]:
        """Return the observations without `text`."""
        kept = {
            agent: {key: value for key, value in held.items() if key != "text"}
            for agent, held in observations.items()
        }
        return kept, infos
