"""One person alone with the whole policy, in a world that does what is asked of it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from genagents_env.actions import Action, Idle, Interact, Move, Talk
from genagents_env.llm.client import ModelClient
from genagents_env.llm.scripted import Rule, ScriptedEndpoint, sample_schema
from genagents_env.memory.embedder import Embedder
from genagents_env.memory.open import open_source
from genagents_env.percept import Body, Result, SeenObject
from genagents_env.policies.smallville import SmallvillePolicy
from genagents_env.policies.smallville.mind import SmallvilleMind
from genagents_env.policy import Context, Profile
from tests.policies.percepts import START, Moment, Value, infos, profile

BED = ("Ann's house/bedroom/bed", "slept in")
REFUSED = {"cellar": "cellar is private", "shop": "shop is closed; open 10:00 to 12:00"}


class Alone:
    """Ann, whose every step succeeds, except into what is `REFUSED`.

    `percept` is what she perceives next; `actions` holds (second, action) of all steps.
    """

    def __init__(
        self,
        rule: Rule = sample_schema,
        *,
        who: Profile | None = None,
        start: datetime = START,
        seconds: int = 60,
        seed: int = 3,
        config: Mapping[str, object] | None = None,
        endpoint: ScriptedEndpoint | None = None,
    ) -> None:
        self.who = who if who is not None else profile(sleeps_in=BED)
        self.seconds, self.seed = seconds, seed
        self.start, self.config = start, config or {}
        self.endpoint = endpoint if endpoint is not None else ScriptedEndpoint(rule)
        self.events = 0
        self.actions: list[tuple[int, Action]] = []
        self.percept = Moment(agent=self.who.agent, time=start, me=self._body(self.who.home))
        self.begin()

    def begin(self) -> None:
        """Make a new policy and a new model client, as on a resume."""
        self.model = ModelClient(self.endpoint, run_seed=self.seed, unusable_after=None)
        embedder = Embedder(open_source("hashed"))
        self.policy = SmallvillePolicy(**self.config)
        context = Context("Town", self.start, self.seconds, self.model, embedder)
        self.policy.reset({self.who.agent: self.who}, self.seed, context)

    @property
    def mind(self) -> SmallvilleMind:
        """Ann's mind."""
        return self.policy.minds[self.who.agent]

    @property
    def now(self) -> int:
        """The second of game time of `percept`."""
        return int((self.percept.time - self.start).total_seconds())

    def purposes(self) -> Counter[str]:
        """Return how many calls were made for each purpose."""
        counted: Counter[str] = Counter()
        for row in self.model.ledger.rows():
            counted[row.purpose] += row.calls
        return counted

    def fallbacks(self) -> Counter[str]:
        """Return how many of them ended in the fallback."""
        counted: Counter[str] = Counter()
        for row in self.model.ledger.rows():
            counted[row.purpose] += row.fallbacks
        return +counted

    def step(self, **changes: Value) -> Action:
        """Live one tick; `changes` are made to what is perceived next."""
        percept = self.percept
        action: Action = self.policy.act({self.who.agent: {}}, infos(percept))[self.who.agent]
        self.actions.append((self.now, action))
        self.percept = replace(self._after(action), **changes)
        return action

    def until(self, clock: str) -> "Alone":
        """Live until the next time that it is `clock`."""
        while True:
            self.step()
            if f"{self.percept.time:%H:%M}" == clock:
                return self

    def _after(self, action: Action) -> Moment:
        before, time = self.percept.me, self.percept.time + timedelta(seconds=self.seconds)
        me, result = self._done(before, action)
        if me.asleep and time.time() == self.who.wake:
            me = self._body(me.place)
        if (me.place, me.doing, me.asleep) == (before.place, before.doing, before.asleep):
            me = before
        bed = SeenObject(BED[0], "bed", (2, 2), 1, "made", (BED[1],), False, True, 0)
        return replace(
            self.percept,
            tick=self.percept.tick + 1,
            time=time,
            me=me,
            result=result,
            heard=(),
            objects=(bed,) if BED[0].startswith(f"{me.place}/") and not me.asleep else (),
        )

    def _done(self, me: Body, action: Action) -> tuple[Body, Result]:
        match action:
            case Move(place) if place.split("/")[-1] in REFUSED:
                return self._body(me.place), Result(False, REFUSED[place.split("/")[-1]])
            case Move(place) if place == BED[0]:
                return self._body("Ann's house/bedroom"), Result(True, "", arrived=True)
            case Move(place):
                return self._body(place), Result(True, "", arrived=True)
            case Interact(item, state) if (item, state) == BED:
                return self._body(me.place, "sleeping", asleep=True), Result(True, "")
            case Idle(doing) | Interact(_, _, doing):
                return me if me.asleep else self._body(me.place, doing or me.doing), Result(
                    True, ""
                )
            case Talk():
                return me, Result(False, "nobody is out there")
            case _:
                raise AssertionError(action)

    def _body(self, place: str, doing: str = "standing around", *, asleep: bool = False) -> Body:
        self.events += 1
        return Body(self.who.name, place, (1, 1), doing, "🧍", asleep, self.events)
