"""`BareVector`: the numbers alone as the observation."""

from genagents_env.observe.spaces import AnySpace
from genagents_env.train.wrappers.observation import (
    Infos,
    Observations,
    ObservationWrapper,
    get_vector,
)


class BareVector(ObservationWrapper):
    """The Box under `observation` becomes the whole observation; text and mask are left out.

    Over `MaskInInfo` where the mask is wanted: for AgileRL, whose towns of one copy take no Dict.
    """

    def reshape_space(self, space: AnySpace, action_space: AnySpace) -> AnySpace:
        """Return the Box."""
        return get_vector(space)

    def reshape(self, observations: Observations, infos: Infos) -> tuple[Observations, Infos]:
        """Return the numbers of each agent."""
        return {agent: held["observation"] for agent, held in observations.items()}, infos
