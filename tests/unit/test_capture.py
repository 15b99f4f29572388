"""Captures are honest: each attempt is made once and ends in one way, whatever the server or a crash does to it."""

from __future__ import annotations

import hashlib
import json
import os
import pty
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from mateprobe.errors import EvidenceError, InvalidStructure, InvalidValue, StageError, StudyError
from mateprobe.pipeline.__main__ import main
from mateprobe.pipeline.attempt_journal import opened
from mateprobe.pipeline.capture import capture
from mateprobe.pipeline.capture_config import load_config, manifest_bytes
from mateprobe.pipeline.collection import Ended, attempts, prompt, read_manifest
from mateprobe.pipeline.model_server import ModelServer, Reply
from mateprobe.pipeline.protocols import PROTOCOLS, Answer
from mateprobe.records import read_records

REPOSITORY = Path(__file__).parents[2]
SENTENCE = "one two three four five six seven eight nine ten eleven twelve"


def config(**changes: Any) -> dict[str, Any]:
    """Return a configuration of four attempts: one model, two modes, one scenario in two languages."""
    actions = {"stay": "Stay here", "go": "Go there"}
    return {
        "collection": "demo",
        "protocol": "openai",
        "models": {"tiny": {"license": "none"}},
        "limits": {"seconds": 60, "bytes": 4096},
        "reset": {"path": "/v1/completions", "request": {"max_tokens": 1}},
        "system": "Be brief.",
        "instructions": {"en": "Write.\n", "es": "Escribe."},
        "request": {"temperature": 0},
        "modes": {"free": {}, "json": {"response_format": {"type": "json_object"}}},
        "domains": {
            "port": {
                "status": "here",
                "credits": [5],
                "options": [
                    {"id": "stay", "status": "resting", "change": 0},
                    {"id": "go", "status": "under_way", "change": -2},
                ],
                "languages": {
                    "en": {"setup": "A port.", "actions": actions},
                    "es": {"setup": "Un puerto, ¿no?", "actions": actions},
                },
            }
        },
        "contracts": [{"type": "RequiredFact", "rule_id": "fact", "key": "status", "expected": "here"}],
        **changes,
    }


def write_config(**changes: Any) -> Path:
    path = Path("demo.yaml")
    path.write_text(yaml.safe_dump(json.loads(json.dumps(config(**changes))), sort_keys=False, allow_unicode=True))
    return path


def completion(text: str = SENTENCE, **changes: Any) -> dict[str, Any]:
    return {
        "id": "call-1",
        "created": 1,
        "model": "tiny",
        "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 12},
        **changes,
    }


Behaviour = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """Answers probes and resets as a server should, and chat requests as the script of its server says."""

    protocol_version = "HTTP/1.1"
    server: Script

    def do_GET(self) -> None:
        self.answer(b'{"data": []}', status=self.server.probe_status)

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "messages" not in request:
            self.server.resets += 1
            self.answer(b'{"choices": []}')
            return
        self.server.chats.append(request)
        number = len(self.server.chats)
        (self.server.behaviours.get(number) or well)(self)

    def answer(self, body: bytes, status: int = 200, length: int | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None: ...  # the tests read what it was asked, not its log


class Script(ThreadingHTTPServer):
    """A chat server whose answer to its nth chat request can be scripted."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.behaviours: dict[int, Behaviour] = {}
        self.chats: list[dict[str, Any]] = []
        self.resets = 0
        self.probe_status = 200
        self.reached, self.released = threading.Event(), threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: that clients hang up on it is what it is there for."""


def well(handler: Handler) -> None:
    handler.answer(json.dumps(completion()).encode())


def says(body: bytes, **how: Any) -> Behaviour:
    return lambda handler: handler.answer(body, **how)


def hang(handler: Handler) -> None:
    handler.server.reached.set()
    handler.server.released.wait()


def drip(handler: Handler) -> None:
    """Send a little now and then, so that no single read takes long."""
    handler.answer(b"{", length=4000)
    while not handler.server.released.wait(0.05):
        handler.wfile.write(b" ")


def close(handler: Handler) -> None:
    handler.close_connection = True


def no_http(handler: Handler) -> None:
    handler.wfile.write(b"what?\r\n\r\n")
    handler.close_connection = True


def flood(handler: Handler) -> None:
    """Send 200 MB."""
    handler.answer(b"", length=200 << 20)
    for _ in range(200):
        handler.wfile.write(b"x" * (1 << 20))


@pytest.fixture
def server() -> Iterator[Script]:
    with Script() as script:
        thread = threading.Thread(target=script.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield script
        script.released.set()
        script.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def collect(script: Script, **changes: Any) -> Counter[str]:
    limits = config(**changes)["limits"]
    server = ModelServer(script.url, seconds=limits["seconds"], limit=limits["bytes"])
    return capture(load_config(write_config(**changes)), Path("out"), server)


def lines() -> list[dict[str, Any]]:
    return list(read_records(Path("out/attempts.jsonl"), "attempts", strict=True))


def ends() -> list[tuple[str, str]]:
    return [(line["attempt"], line["ended"]) for line in lines() if "ended" in line]


ALL = ["tiny/free/port-en-0", "tiny/free/port-es-0", "tiny/json/port-en-0", "tiny/json/port-es-0"]


# What is asked


def test_the_manifest_holds_what_the_requests_are_made_of_and_the_profile() -> None:
    manifest = load_config(write_config())
    kept = ("collection", "protocol", "models", "limits", "reset", "system", "instructions", "request", "modes")
    assert {key: manifest[key] for key in kept} == {key: config()[key] for key in kept}
    assert (manifest["retries"], manifest["repairs"]) == (0, 0)
    assert [rule["parameters"]["rule_id"] for rule in manifest["rule_configuration"]] == ["fact"]
    assert manifest["scenarios"][1] == {
        "id": "port-es-0",
        "group": "port-0",
        "domain": "port",
        "language": "es",
        "setup": "Un puerto, ¿no?",
        "current": {"status": "here", "credits": 5},
        "options": [
            {"id": "stay", "action": "Stay here", "after": {"status": "resting", "credits": 5}},
            {"id": "go", "action": "Go there", "after": {"status": "under_way", "credits": 3}},
        ],
    }


def test_there_is_one_attempt_for_each_model_mode_and_scenario() -> None:
    assert list(attempts(load_config(write_config()))) == ALL


def test_a_request_has_the_prompts_the_sampling_options_and_the_fields_of_its_mode() -> None:
    manifest = load_config(write_config())
    request = attempts(manifest)["tiny/json/port-es-0"].request
    assert {key: value for key, value in request.items() if key != "messages"} == {
        "model": "tiny",
        "stream": False,
        "temperature": 0,
        "response_format": {"type": "json_object"},
    }
    asked = prompt(manifest, manifest["scenarios"][1])
    assert request["messages"] == [{"role": "system", "content": "Be brief."}, {"role": "user", "content": asked}]
    shown, instructions = asked.split("\n\n")
    assert (sorted(json.loads(shown)), instructions) == (["current", "options", "setup"], "Escribe.")


def test_a_schema_reaches_the_server_with_its_keys_in_their_order(server: Script) -> None:
    schema: dict[str, Any] = {"properties": {"zebra": {}, "ant": {}}}
    collect(server, modes={"schema": {"response_format": {"schema": schema}}})
    assert list(server.chats[0]["response_format"]["schema"]["properties"]) == ["zebra", "ant"]


CONFIG_PROBLEMS = {
    "an unknown key": ({"retries": 3}, r"demo.yaml:1: \(top level\): .*'retries' was unexpected"),
    "no protocol of ours": ({"protocol": "smtp"}, r"demo.yaml:2: protocol: 'smtp' is not one of"),
    "no time limit": ({"limits": {"seconds": 0, "bytes": 1}}, r"demo.yaml:\d+: limits.seconds: 0 is less than"),
    "a mode that replaces the prompt": (
        {"modes": {"free": {"messages": []}}},
        r"demo.yaml:\d+: modes.free: 'messages' should not",
    ),
    "a contract that cannot be built": (
        {"contracts": [{"type": "RequiredFact", "rule_id": "fact"}]},
        r"demo.yaml:\d+: contracts: contracts\[0\]",
    ),
    "a language without instructions": (
        {"instructions": {"en": "Write."}},
        r"demo.yaml:\d+: domains.port.languages.es: expected a language with instructions, one of \['en'\]",
    ),
}


@pytest.mark.parametrize(("changes", "message"), CONFIG_PROBLEMS.values(), ids=CONFIG_PROBLEMS.keys())
def test_a_configuration_that_cannot_be_used_is_refused_with_file_line_and_key(
    changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(StudyError, match=message):
        load_config(write_config(**changes))


def test_an_option_needs_an_action_and_an_id_of_its_own() -> None:
    broken = config()["domains"]
    broken["port"]["options"][1]["id"] = "stay"
    with pytest.raises(StudyError) as caught:
        load_config(write_config(domains=broken))
    assert [line.partition(": ")[2] for line in str(caught.value).splitlines()] == [
        "domains.port.options: expected ids that differ, found ['stay', 'stay']",
        "domains.port.languages.en: expected an action for each of ['stay', 'stay'], found ['go', 'stay']",
        "domains.port.languages.es: expected an action for each of ['stay', 'stay'], found ['go', 'stay']",
    ]


def test_the_frozen_manifest_is_that_of_its_configuration() -> None:
    made = manifest_bytes(load_config(REPOSITORY / "studies/_capture/small_models.yaml"))
    assert made == (REPOSITORY / "studies/_frozen/small_models/manifest.json").read_bytes()


# How it is asked


def test_a_collection_is_its_manifest_and_two_lines_an_attempt(server: Script) -> None:
    assert collect(server) == {"returned": 4}
    manifest = load_config(Path("demo.yaml"))
    assert Path("out/manifest.json").read_bytes() == manifest_bytes(manifest)
    assert read_manifest(Path("out/manifest.json")) == manifest
    header = read_records(Path("out/attempts.jsonl"), "attempts").header
    assert header["manifest_sha256"] == hashlib.sha256(manifest_bytes(manifest)).hexdigest()
    first, second, *_ = lines()
    assert first == {"attempt": ALL[0], "request": server.chats[0], "reset": True}
    assert second.pop("seconds") >= 0
    kept = {key: value for key, value in completion().items() if key not in ("id", "created")}
    assert second == {"attempt": ALL[0], "ended": "returned", "response": kept}
    assert ends() == [(id, "returned") for id in ALL]


def test_the_server_is_reset_before_each_attempt(server: Script) -> None:
    collect(server)
    assert (server.resets, len(server.chats)) == (4, 4)


def test_the_attempt_is_on_disk_before_its_request_is_sent(server: Script) -> None:
    seen: list[str] = []

    def look(handler: Handler) -> None:
        seen.append(Path("out/attempts.jsonl").read_text().splitlines()[-1])
        well(handler)

    server.behaviours[1] = look
    collect(server)
    assert json.loads(seen[0]) == {"attempt": ALL[0], "request": server.chats[0], "reset": True}


def test_an_ollama_server_is_asked_at_its_own_path(server: Script) -> None:
    reply = {"created_at": "now", "message": {"content": "yes"}, "done": True, "eval_count": 1}
    server.behaviours = dict.fromkeys(range(1, 5), says(json.dumps(reply).encode()))
    assert collect(server, protocol="ollama") == {"returned": 4}
    kept = {key: value for key, value in reply.items() if key != "created_at"}
    assert [line["response"] for line in lines() if "ended" in line] == [kept] * 4


ENDS = {
    "an answer": (well, "returned", ""),
    "a JSON object that is no completion": (says(b"{}"), "returned", ""),
    "an error": (says(b"no memory left", status=500), "http_error", "500: no memory left"),
    "a redirect": (says(b"", status=302), "http_error", "302: "),
    "garbage": (says(b"<html>"), "not_json", "response, column 1: not JSON"),
    "a JSON list": (says(b"[1]"), "not_json", "[1]"),
    "a key twice": (says(b'{"a": 1, "a": 2}'), "not_json", "key 'a' occurs twice"),
    "NaN": (says(b'{"a": NaN}'), "not_json", "NaN is not JSON"),
    "an endless number": (says(b'{"a": 1e999}'), "not_json", "beyond what a double can hold"),
    "deep nesting": (says(b'{"a":' + b"[" * 500 + b"]" * 500 + b"}"), "not_json", "nested deeper than"),
    "nesting its record could not hold": (says(b'{"a":' + b"[" * 199 + b"]" * 199 + b"}"), "not_json", "nested deeper"),
    "invalid UTF-8": (says(b'{"a": "\xff"}'), "not_json", "expected UTF-8"),
    "half a character": (says(rb'{"a": "\ud83d"}'), "not_json", "surrogate"),
    "less than announced": (says(b'{"choices": [', length=1000), "broken_off", "closed 987 bytes before the end"),
    "nothing": (close, "broken_off", "RemoteDisconnected"),
    "no HTTP": (no_http, "broken_off", "BadStatusLine"),
    "200 MB": (flood, "too_large", "more than 4,096 bytes: xxx"),
}


@pytest.mark.parametrize(("behaviour", "ended", "said"), ENDS.values(), ids=ENDS.keys())
def test_whatever_a_server_does_the_attempt_ends_in_one_way_and_the_next_is_made(
    server: Script, behaviour: Behaviour, ended: str, said: str
) -> None:
    def last(handler: Handler) -> None:
        behaviour(handler)
        handler.close_connection = True  # a body shorter than announced ends only so

    server.behaviours[2] = last
    collect(server)
    assert ends() == [(ALL[0], "returned"), (ALL[1], ended), (ALL[2], "returned"), (ALL[3], "returned")]
    response = next(line["response"] for line in lines() if line.get("ended") and line["attempt"] == ALL[1])
    assert said in str(response)
    assert len(str(response)) < 2000
    assert len(server.chats) == 4


@pytest.mark.parametrize("behaviour", [hang, drip])
def test_an_answer_that_never_ends_is_cut_off_at_the_time_limit(server: Script, behaviour: Behaviour) -> None:
    server.behaviours[1] = behaviour
    assert collect(server, limits={"seconds": 1, "bytes": 4096}) == {"timeout": 1, "returned": 3}
    assert lines()[1]["response"] == "no complete answer within 1 s"
    assert len(server.chats) == 4


def test_a_connection_that_never_opens_is_a_timeout_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def connect(connection: HTTPConnection) -> None:
        raise TimeoutError("timed out")

    monkeypatch.setattr(HTTPConnection, "connect", connect)
    reply = ModelServer("http://127.0.0.1:1", seconds=5, limit=1).get("/")
    assert (reply.ended, reply.content) == (Ended.TIMEOUT, "no complete answer within 5 s")


# Servers that are not there


def test_without_a_server_nothing_is_asked_and_the_message_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    config = write_config()
    with Script() as gone:
        url = gone.url
    assert main(["capture", str(config), "--out", "out", "--base-url", url]) == 1
    assert "capture: expected a running server, found broken_off (ConnectionRefused" in capsys.readouterr().err
    assert Path("out/attempts.jsonl").read_text().count("\n") == 1


def test_a_server_that_goes_away_leaves_the_rest_for_the_next_run(server: Script) -> None:
    def leave(handler: Handler) -> None:
        well(handler)
        server.probe_status = 503

    server.behaviours[2] = leave
    with pytest.raises(StageError, match=r"expected a running server, found http_error \(503: "):
        collect(server)
    server.probe_status = 200
    assert collect(server) == {"returned": 4}
    assert len(server.chats) == 4


def test_a_reset_that_fails_ends_the_run_before_the_attempt(server: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ModelServer, "post", lambda *_: Reply(Ended.TIMEOUT, "too slow", 1.0))
    with pytest.raises(StageError, match=r"expected the reset, found timeout \(too slow\)"):
        collect(server)
    assert Path("out/attempts.jsonl").read_text().count("\n") == 1


@pytest.mark.parametrize(
    "url",
    [
        "",
        "127.0.0.1:80",
        "ftp://a",
        "http://",
        "http://a:b",
        "http://[",
        "http://a?b",
        "http://a:0",
        "http://u@a",
        "http://a..b",
        "http://a/é",
    ],
)
def test_a_base_url_must_name_a_host(url: str) -> None:
    with pytest.raises(InvalidValue, match=r"expected http://HOST:PORT or https://HOST:PORT"):
        ModelServer(url, seconds=1, limit=1)


# Crashes


def asked_by(script: Script) -> list[tuple[str, bool]]:
    return [(chat["messages"][1]["content"], "response_format" in chat) for chat in script.chats]


def test_a_killed_capture_goes_on_without_asking_twice(server: Script) -> None:
    server.behaviours[3] = hang
    command = [sys.executable, "-m", "mateprobe.pipeline", "capture", str(write_config()), "--out", "out"]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    with subprocess.Popen([*command, "--base-url", server.url], env=environment) as process:
        assert server.reached.wait(60)
        process.kill()
    assert process.returncode == -signal.SIGKILL
    assert collect(server) == {"returned": 3, "interrupted": 1}
    assert ends() == [*((id, "returned") for id in ALL[:2]), (ALL[2], "interrupted"), (ALL[3], "returned")]
    assert len(set(asked_by(server))) == len(server.chats) == 4


class Instant(ModelServer):
    """Answers at once, without a network; keeps what it was asked."""

    def __init__(self) -> None:
        self.chats: list[Any] = []

    def get(self, path: str) -> Reply:
        return Reply(Ended.RETURNED, {}, 0.0)

    def post(self, path: str, request: Any) -> Reply:
        self.chats += [request] if "messages" in request else []
        return Reply(Ended.RETURNED, completion(), 0.5)


def cuts() -> list[int]:
    """Return where a crash may cut the file of the demo off: at, before and after each line's end, and within."""
    manifest = load_config(write_config())
    capture(manifest, Path("whole"), Instant())
    data = Path("whole/attempts.jsonl").read_bytes()
    line_ends = [position for position, byte in enumerate(data, 1) if byte == ord("\n")]
    return sorted({cut for end in line_ends for cut in (end - 30, end - 1, end, end + 1) if cut <= len(data)} | {0})


def test_wherever_a_crash_cuts_the_file_off_nothing_is_asked_twice_and_every_attempt_ends_once() -> None:
    positions = cuts()
    manifest, whole = load_config(Path("demo.yaml")), Path("whole/attempts.jsonl").read_bytes()
    assert len(positions) > 30
    for cut in positions:
        folder = Path(f"cut-{cut}")
        folder.mkdir()
        folder.joinpath("manifest.json").write_bytes(manifest_bytes(manifest))
        folder.joinpath("attempts.jsonl").write_bytes(whole[:cut])
        before = [json.loads(line) for line in whole[:cut].split(b"\n")[1:-1]]
        asked = {line["attempt"] for line in before if "request" in line}
        answered = {line["attempt"] for line in before if "ended" in line}
        server = Instant()
        ended = capture(manifest, folder, server)
        assert len(server.chats) == len(ALL) - len(asked)
        assert (ended["interrupted"], ended.total()) == (len(asked) - len(answered), len(ALL))
        left = list(read_records(folder / "attempts.jsonl", "attempts", strict=True))
        assert sorted(line["attempt"] for line in left if "ended" in line) == ALL
        assert sorted(line["attempt"] for line in left if "request" in line) == ALL


def test_a_finished_collection_is_left_as_it_is() -> None:
    manifest, server = load_config(write_config()), Instant()
    capture(manifest, Path("out"), server)
    sealed = Path("out/attempts.jsonl").read_bytes()
    assert capture(manifest, Path("out"), server) == {"returned": 4}
    assert len(server.chats) == 4
    assert Path("out/attempts.jsonl").read_bytes() == sealed


# Folders that are taken


def test_a_folder_with_something_else_in_it_is_refused() -> None:
    Path("out").mkdir()
    Path("out/notes.txt").write_text("mine")
    with pytest.raises(EvidenceError, match=r"out: expected an empty folder or a collection, found notes.txt"):
        capture(load_config(write_config()), Path("out"), Instant())
    assert [path.name for path in Path("out").iterdir()] == ["notes.txt"]


def test_a_folder_with_another_collection_is_refused_before_anything_is_asked() -> None:
    capture(load_config(write_config()), Path("out"), Instant())
    before, server = Path("out/attempts.jsonl").read_bytes(), Instant()
    with pytest.raises(EvidenceError, match=r"manifest.json: expected the manifest with sha256 .* name another folder"):
        capture(load_config(write_config(system="Be long.")), Path("out"), server)
    assert (server.chats, Path("out/attempts.jsonl").read_bytes()) == ([], before)


def test_a_folder_another_capture_works_in_is_refused() -> None:
    manifest = load_config(write_config())
    capture(manifest, Path("out"), Instant())
    header = read_records(Path("out/attempts.jsonl"), "attempts").header
    with (
        opened(Path("out/attempts.jsonl"), header["manifest_sha256"]),
        pytest.raises(EvidenceError, match="another process is capturing into it"),
    ):
        capture(manifest, Path("out"), Instant())


EDITS: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "another header": (lambda data: data.replace(b"manifest_sha256", b"manifest_SHA256"), "line 1: expected"),
    "a line that is no JSON": (lambda data: data.replace(b'{"attempt"', b'{attempt"', 1), "line 2, column 2: not JSON"),
    "an answer nobody asked for": (
        lambda data: b"".join(data.splitlines(keepends=True)[::2]),
        "line 2: expected an att",
    ),
    "an edit under the seal": (lambda data: data.replace(b"twelve", b"thirteen", 1), "line 10: expected 8 records"),
    "more after the seal": (
        lambda data: data + b'{"attempt":"x","request":{}}\n',
        "line 11: expected the closing line",
    ),
}


@pytest.mark.parametrize(("edit", "message"), EDITS.values(), ids=EDITS.keys())
def test_attempts_that_were_edited_are_refused_with_their_line(edit: Callable[[bytes], bytes], message: str) -> None:
    manifest, server, path = load_config(write_config()), Instant(), Path("out/attempts.jsonl")
    capture(manifest, Path("out"), server)
    path.write_bytes(edit(path.read_bytes()))
    with pytest.raises((EvidenceError, InvalidValue), match=message):
        capture(manifest, Path("out"), server)
    assert len(server.chats) == 4


# What people see


def test_the_command_says_how_the_attempts_ended(server: Script, capsys: pytest.CaptureFixture[str]) -> None:
    server.behaviours[4] = says(b"", status=500)
    assert main(["capture", str(write_config()), "--out", "out", "--base-url", server.url]) == 0
    assert capsys.readouterr().err == "capture: 4 attempts recorded in out: 1 http_error, 3 returned\n"


def test_on_a_terminal_progress_is_shown_with_the_time_left(server: Script) -> None:
    command = [sys.executable, "-m", "mateprobe.pipeline", "capture", str(write_config()), "--out", "out"]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "TERM": "xterm", "COLUMNS": "80"}
    terminal, their_end = pty.openpty()
    with subprocess.Popen([*command, "--base-url", server.url], env=environment, stderr=their_end) as process:
        os.close(their_end)
        shown = b""
        while block := read_terminal(terminal):
            shown += block
    os.close(terminal)
    assert process.returncode == 0
    assert b"4/4" in shown
    assert b"0:00:00" in shown


def read_terminal(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # Linux says so when the other end is closed
        return b""


# What answers say

ANSWERS: dict[str, tuple[str, dict[str, Any], Answer]] = {
    "openai, ended": ("openai", completion("hi"), Answer("hi", True, 7, 12)),
    "openai, cut": (
        "openai",
        {"choices": [{"message": {"content": "h"}, "finish_reason": "length"}]},
        Answer("h", False, None, None),
    ),
    "openai, counts that are none": (
        "openai",
        completion("hi", usage={"prompt_tokens": "7", "completion_tokens": True}),
        Answer("hi", True, None, None),
    ),
    "ollama, ended": (
        "ollama",
        {"message": {"content": "hi"}, "done": True, "done_reason": "stop", "prompt_eval_count": 7, "eval_count": 12},
        Answer("hi", True, 7, 12),
    ),
    "ollama, cut": (
        "ollama",
        {"message": {"content": "h"}, "done": True, "done_reason": "length"},
        Answer("h", False, None, None),
    ),
    "ollama, not done": ("ollama", {"message": {"content": "h"}, "done": False}, Answer("h", False, None, None)),
}


@pytest.mark.parametrize(("protocol", "response", "answer"), ANSWERS.values(), ids=ANSWERS.keys())
def test_an_answer_is_read_as_its_protocol_says(protocol: str, response: dict[str, Any], answer: Answer) -> None:
    assert PROTOCOLS[protocol].read(response) == answer


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    "response",
    [{}, {"choices": []}, {"choices": [7]}, {"choices": [{"message": {"content": None}, "finish_reason": "stop"}]},
     {"choices": {}}, {"message": None}, {"message": {"content": 7}, "done": True}, {"message": {"content": "x"}},
     completion(usage=[7]) | {"message": 1}],
    ids=str,
)  # fmt: skip
def test_what_is_no_completion_is_refused(protocol: str, response: dict[str, Any]) -> None:
    with pytest.raises(InvalidStructure, match="expected a chat completion, found"):
        PROTOCOLS[protocol].read(response)
