"""`genagents fork`: another future of a recorded run, from any moment of it."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from genagents_env.cli import options as opt
from genagents_env.cli.live_page import LivePage, list_players
from genagents_env.cli.runs import conduct
from genagents_env.cli.screen import say_lines
from genagents_env.errors import ConfigError
from genagents_env.name_search import find_people, find_person
from genagents_env.record import RunReader
from genagents_env.record.town_times import find_tick, parse_time
from genagents_env.run import PolicySpec
from genagents_env.run import fork as fork_run
from genagents_env.scenario.fields import LINE_LIMIT
from genagents_env.scenario.loader import read_events
from genagents_env.scenario.schema import ScheduledEvent
from genagents_env.study.evaluate.parting import describe_parting
from genagents_env.study.evaluate.run_data import RunData
from genagents_env.world.events import Event

app = typer.Typer()


@app.command()
def fork(
    run_file: opt.RunFile,
    out: Annotated[Path, typer.Option(help="The run file to write.")],
    at: Annotated[
        str | None,
        typer.Option(help="Town time of the fork: 10:20; else just before the first change."),
    ] = None,
    silence: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WHO@TIME[..TIME]",
            help="Leave out what this person says next from this time on: isabella@08:41; or all "
            "until another time: isabella@08:41..18:00. May be repeated.",
        ),
    ] = None,
    say: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WHO@TIME=WORDS",
            help="Put these words in the place of what this person says next. May be repeated.",
        ),
    ] = None,
    events: Annotated[
        Path | None,
        typer.Option(
            help="A TOML file of events as in a scenario: news, whispers, things, people who "
            "come and go."
        ),
    ] = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PEOPLE=POLICY",
            help="Let another policy take over for some, with the memories of the one before where "
            'both support that: "Klaus Mueller=human"; may be repeated.',
        ),
    ] = None,
    policy_config: Annotated[
        list[str] | None,
        typer.Option(help="An option of such a policy: smallville.reflection=false."),
    ] = None,
    force: opt.Force = False,
    trust: opt.Trust = None,
    model: opt.Models = None,
    embedder: opt.Embedder = None,
    limit: opt.Limit = None,
    endpoint: opt.Endpoint = None,
    live: opt.Live = False,
    host: opt.Host = opt.LOOPBACK,
    turn_seconds: opt.TurnSeconds = None,
    as_json: opt.ResultAsJson = False,
) -> None:
    """Continue a recorded run from any moment, with something changed: what if?

    Both runs are the same up to the fork. After it, model calls with the same prompt as before get
    the recorded replies; only others are made. `genagents report RUN FORK` compares the two.

    Example: genagents fork day.sqlite --silence isabella@08:41 --out silent.sqlite
    """
    with RunReader(run_file) as run:
        changes = [_silence(run, text) for text in silence or ()]
        changes += [_replace_words(run, text) for text in say or ()]
        _check_distinct(changes)
        changes += read_events(events) if events is not None else []
        if at is None and not changes:
            raise ConfigError("say --at where to fork, or what is to change")
        takeovers = _read_policies(run, policy, policy_config)
        decide = {name: str(chosen["name"]) for name, chosen in run.meta.policies.items()}
        decide |= {name: spec.name for name, spec in takeovers.items()}
        first = min((run.tick_at(change.at) for change in changes), default=0)
        tick = find_tick(run, at, "--at") if at is not None else max(0, first - 1)
    result = conduct(
        lambda options: fork_run(
            run_file, out, tick, changes, options, policy_for=takeovers, force=force
        ),
        LivePage(out, list_players(decide), live=live, host=host, turn_seconds=turn_seconds),
        as_json=as_json,
        tell=lambda: _tell_parting(run_file, out),
        models=model,
        endpoint=endpoint,
        embedder=embedder,
        limit=limit,
        limits=opt.RUN_LIMITS,
        trust=trust,
    )
    raise typer.Exit(result.exit_code)


def _tell_parting(path: Path, fork: Path) -> None:
    with RunReader(path) as before, RunReader(fork) as after:
        say_lines(describe_parting(RunData(before), RunData(after)), indent=8)


def _read_policies(
    run: RunReader, policy: list[str] | None, config: list[str] | None
) -> dict[str, PolicySpec]:
    common, policy_for = opt.split_common("--policy", policy)
    if common is not None:
        raise ConfigError(f"--policy {common}: for whom? Write it as PEOPLE={common}")
    own = find_people(opt.parse_people(policy_for), run.meta.names)
    rest, configs = opt.split_config(opt.parse_config(config), own.values())
    if rest:
        raise ConfigError(f"--policy-config {next(iter(rest))}: write it as POLICY.KEY=VALUE")
    return {agent: PolicySpec(name, configs[name]) for agent, name in own.items()}


def _silence(run: RunReader, text: str) -> ScheduledEvent:
    where, _, end = text.partition("..")
    event = _find_utterance(run, where, "--silence")
    until, at = parse_time(run, end) if end else None, run.time(event.tick)
    if until is not None and until <= parse_time(run, where.partition("@")[2]):
        raise ConfigError(f"--silence {text}: it ends before it begins")
    if until is not None and until <= at:
        raise ConfigError(f"--silence {text}: {event.agent} says nothing before {at:%H:%M:%S}")
    return ScheduledEvent(at=at, kind="silence", agent=event.agent, until=until)


def _replace_words(run: RunReader, text: str) -> ScheduledEvent:
    where, sign, words = text.partition("=")
    if not sign or not words.strip():
        raise ConfigError(f"--say {text!r}: expected WHO@TIME=WORDS")
    event = _find_utterance(run, where, "--say")
    if len(words) > LINE_LIMIT:
        raise ConfigError(f"--say: at most {LINE_LIMIT} characters; these are {len(words)}")
    return ScheduledEvent(at=run.time(event.tick), kind="say", agent=event.agent, text=words)


def _check_distinct(changes: Sequence[ScheduledEvent]) -> None:
    """Raise ConfigError where what somebody says next is changed twice."""
    for (agent, at), count in Counter((one.agent, one.at) for one in changes).items():
        if count > 1:
            raise ConfigError(
                f"--say, --silence: what {agent} says at {at:%H:%M:%S} is changed twice"
            )


def _find_utterance(run: RunReader, text: str, option: str) -> Event:
    """Return the next utterance of a person from a time on."""
    name, sign, time = text.partition("@")
    if not sign:
        raise ConfigError(f"{option} {text!r}: expected WHO@TIME, such as isabella@08:41")
    person, first = find_person(name, run.meta.names), find_tick(run, time, option)
    said = (event for event in run.events(first, kind="say") if event.agent == person)
    event = next(said, None)
    if event is None:
        raise ConfigError(f"{option} {text}: {person} says nothing from then on")
    return event
