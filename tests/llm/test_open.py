import os
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.util import find_spec
from pathlib import Path
from threading import Thread

import pytest

from genagents_env.errors import ConfigError
from genagents_env.llm import tokens
from genagents_env.llm.endpoint import OpenAIEndpoint
from genagents_env.llm.open import ModelOptions, open_endpoint, parse_price
from genagents_env.llm.prices import FREE, Price, find_price
from genagents_env.llm.tokens import TokenCounter, byte_count
from tests.llm.asking import KEY


@pytest.fixture(autouse=True)
def _no_endpoint_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def test_a_key_alone_means_openai_and_a_base_url_alone_that_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        open_endpoint("gpt-4o")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    endpoint = open_endpoint("gpt-4o")
    assert isinstance(endpoint, OpenAIEndpoint)
    assert endpoint.base_url == "https://api.openai.com/v1"
    assert endpoint.price == find_price("gpt-4o")
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:11434/v1")
    endpoint = open_endpoint("qwen3:4b", ModelOptions(timeout=600))
    assert isinstance(endpoint, OpenAIEndpoint)
    assert (endpoint.model, endpoint.price, endpoint.attempt_deadline) == ("qwen3:4b", FREE, 600)


@pytest.mark.parametrize(("content", "said"), [(None, "No such file"), (b"PK\3\4", "not a GGUF")])
def test_bad_model_files_are_named(content: bytes | None, said: str, tmp_path: Path) -> None:
    path = tmp_path / "some.gguf"
    if content is not None:
        path.write_bytes(content)
    pytest.importorskip("xllamacpp", reason="a model in this process needs the extra `local`")
    with pytest.raises(ConfigError, match=rf"some\.gguf.*{said}"):
        open_endpoint(str(path))


def test_only_one_module_reads_the_key() -> None:
    package = Path(tokens.__file__).parents[1]
    readers = [p.name for p in package.rglob("*.py") if 'OPENAI_API_KEY"' in p.read_text("utf-8")]
    assert readers == ["open.py"]


def test_tokens_are_counted_without_a_download(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(os.environ, "TIKTOKEN_CACHE_DIR", str(tmp_path))
    counter = TokenCounter("gpt-4o")
    if find_spec("quicktok") is not None:
        assert counter.count("hello world") == 2
    assert (
        0 < counter.count("Grüße <|endoftext|> \ud800") <= byte_count("Grüße <|endoftext|> \ud800")
    )
    assert counter.count("") == 0
    assert TokenCounter("some-model-nobody-knows").count("é") == byte_count("é") == 2
    assert list(tmp_path.iterdir()) == []


def test_without_a_name_the_first_model_of_the_endpoint_is_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Models(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = b'{"data": [{"id": "town-model"}]}' if self.path == "/v1/models" else b"{}"
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Models) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        base = f"http://127.0.0.1:{server.server_port}"
        monkeypatch.setenv("OPENAI_BASE_URL", f"{base}/v1")
        assert open_endpoint().model == "town-model"
        monkeypatch.setenv("OPENAI_BASE_URL", f"{base}/elsewhere")
        with pytest.raises(ConfigError, match="--model"):
            open_endpoint()
        server.shutdown()


@pytest.mark.parametrize(
    ("options", "model", "timeout", "deadline"),
    [
        (ModelOptions(), "gpt-4o", 30.0, 90.0),
        (ModelOptions(), "o3", 120.0, 360.0),
        (ModelOptions(timeout=200), "gpt-4o", 200.0, 600.0),
        (ModelOptions(timeout=10), "gpt-4o", 10.0, 90.0),
        (ModelOptions(deadline=20), "o3", 20.0, 20.0),
        (ModelOptions(deadline=500), "gpt-4o", 30.0, 500.0),
    ],
)
def test_a_longer_timeout_lifts_the_deadline_that_is_not_given(
    options: ModelOptions, model: str, timeout: float, deadline: float
) -> None:
    assert options.find_timeout(model) == timeout
    assert options.make_retry(model).call_deadline == deadline


@pytest.mark.parametrize(
    "options",
    [
        *({"timeout": 0}, {"timeout": float("nan")}, {"deadline": -1}, {"deadline": 1e9}),
        *({"thinking": -1}, {"thinking": 10**9}, {"reasoning_effort": "lots"}),
        {"timeout": 61, "deadline": 60},
    ],
)
def test_values_out_of_range_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match=r"not fit into a deadline of 60 s|allowed|one of none"):
        ModelOptions(**options)  # type: ignore[arg-type]


def test_a_price_is_two_plain_numbers() -> None:
    assert parse_price("0.15", "0") == Price(Decimal("0.15"), Decimal(0))
    assert parse_price(None, None) is None
    with pytest.raises(ConfigError, match="price_out is missing"):
        parse_price("1", None)
    for text in ("-1", "1_0", "nan", "1e3", "", " 1", "٣", "1,5", "inf", "0x1"):
        with pytest.raises(ConfigError, match="price_in"):
            parse_price(text, "1")
