"""Every reply model of every mind: what is malformed is refused, what is too long is cut."""

import json
from collections.abc import Iterator
from importlib import import_module
from pkgutil import walk_packages

import pytest
from pydantic import ValidationError

from genagents_env import policies
from genagents_env.cognition.interview import AnswerReply
from genagents_env.llm.calls import Completion, CompletionRequest, Message, UnusableReply
from genagents_env.llm.completions import parse
from genagents_env.llm.schemas import PlainReply, ReplyModel, make_schema
from genagents_env.llm.scripted import sample_schema
from tests.policies.percepts import Value

for _module in walk_packages(policies.__path__, f"{policies.__name__}."):
    import_module(_module.name)

MODELS = [
    AnswerReply,
    *(
        model
        for model in ReplyModel.__subclasses__()
        if model.__module__.startswith(policies.__name__) and not issubclass(model, PlainReply)
    ),
]
# Words of a model that are no JSON object, or more than one, or one that no reader should trust.
UNUSABLE = (
    "",
    "null",
    "[1, 2]",
    "Good morning.",
    "{}",
    "\x00\x1b[2J",
    "{" * 99,
    '{"x": ' * 40,
    '{"x": NaN}',
    '{"x": 1, "x": 2}',
    "x" * 300_000,
)
WILD = ("y" * 10_000, "dan\x00cing \x1b[31mred\x1b[0m\u202e\n" * 99, "跳舞聚会" * 299)
EMPTY = ("", " \n ", "\x00\u200b")


def make_sample(model: type[ReplyModel]) -> dict[str, Value]:
    """Return a reply that fits the schema."""
    request = CompletionRequest((Message("user", "?"),), make_schema(model), "reply", seed=1)
    reply: dict[str, Value] = json.loads(sample_schema(request))
    return reply


def list_parts(model: type[ReplyModel]) -> list[tuple[str, dict[str, Value]]]:
    """Return the fields with their parts of the schema."""
    schema: Value = make_schema(model)
    return list(schema["properties"].items())


def list_wrong(part: dict[str, Value], sample: Value) -> Iterator[Value]:
    """Yield values that do not fit the part of a schema that `sample` fits."""
    yield from (None, {"x": 1}, float("nan"))
    if isinstance(sample, bool):
        yield "perhaps"
    elif isinstance(sample, int):
        yield from ("soon", 2.5, [sample])
        if "maximum" in part:
            yield from (10**40, part["minimum"] - 1, part["maximum"] + 1)
    elif isinstance(sample, str):
        yield from (5, [sample], *(EMPTY if part.get("minLength") else ()))
    else:
        yield from ("1, 2", 5, {"0": sample}, [None], [[sample]])


def resolve(part: dict[str, Value]) -> dict[str, Value]:
    """Return the part of a schema that says most: the longest text where there are several."""
    options = part.get("anyOf", [part])
    return max(options, key=lambda option: option.get("maxLength", 0))


@pytest.mark.parametrize("model", MODELS)
def test_a_reply_that_does_not_fit_is_refused(model: type[ReplyModel]) -> None:
    sample = make_sample(model)
    model.model_validate(sample)
    malformed: list[Value] = [{}, [], "text", None, [sample]]
    for broken in malformed:
        with pytest.raises(ValidationError):
            model.model_validate(broken)
    for name, part in list_parts(model):
        missing = {key: value for key, value in sample.items() if key != name}
        if model.model_fields[name].is_required():
            with pytest.raises(ValidationError):
                model.model_validate(missing)
        for wrong in list_wrong(part, sample[name]):
            with pytest.raises(ValidationError):
                model.model_validate({**sample, name: wrong})


@pytest.mark.parametrize("model", MODELS)
def test_words_that_are_no_reply_are_refused(model: type[ReplyModel]) -> None:
    words = json.dumps(make_sample(model))
    for broken in (*UNUSABLE, words + words, words[:-1]):
        with pytest.raises(UnusableReply):
            parse(Completion(broken, "stop", 9, 9), model)


@pytest.mark.parametrize("model", MODELS)
def test_long_and_wild_words_are_cut_and_cleaned(model: type[ReplyModel]) -> None:
    sample = make_sample(model)
    for name, part in list_parts(model):
        most = resolve(part).get("maxLength", 0)
        for wild in WILD if most and "enum" not in part else ():
            text = getattr(model.model_validate({**sample, name: wild}), name)
            assert 0 < len(text) <= most
            assert text.isprintable()
