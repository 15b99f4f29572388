"""How chat servers are asked and how their answers are read. Nothing here opens a connection."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from mateprobe.errors import InvalidStructure

Data = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said.

    Attributes:
        text: the generation, as it came.
        finished: whether the model ended it, rather than a limit.
        prompt_tokens: length of the prompt, if the server counted.
        output_tokens: length of the generation, likewise.
    """

    text: str
    finished: bool
    prompt_tokens: int | None
    output_tokens: int | None


@dataclass(frozen=True, slots=True)
class Protocol:
    """One way to talk to a chat server; a request has ``model``, ``messages``, ``stream`` and what its study adds.

    Attributes:
        base_url: where such a server is by default.
        probe: the path that a running server answers to GET.
        path: where requests are posted.
        passing: fields of a response that name the moment or the call: no two are alike, none is kept.
        read: takes a response; raises InvalidStructure if it is none of this protocol.
    """

    base_url: str
    probe: str
    path: str
    passing: frozenset[str]
    read: Callable[[Data], Answer]


def chat_request(model: str, system: str, prompt: str) -> dict[str, Any]:
    """Return the part of a request that is the same in every protocol."""
    messages = [{"role": "system", "content": system}, {"role": "user", "content": prompt}]
    return {"model": model, "messages": messages, "stream": False}


def _openai(response: Data) -> Answer:
    try:
        choice, usage = response["choices"][0], response.get("usage") or {}
        return _answer(
            choice["message"]["content"],
            choice["finish_reason"] == "stop",
            usage.get("prompt_tokens"),
            usage.get("completion_tokens"),
        )
    except (LookupError, TypeError, AttributeError) as error:
        raise _foreign(error, response) from None


def _ollama(response: Data) -> Answer:
    try:
        return _answer(
            response["message"]["content"],
            response["done"] is True and response.get("done_reason") != "length",
            response.get("prompt_eval_count"),
            response.get("eval_count"),
        )
    except (LookupError, TypeError) as error:
        raise _foreign(error, response) from None


def _answer(text: Any, finished: bool, *counts: Any) -> Answer:
    if not isinstance(text, str):
        raise TypeError(f"content is a {type(text).__name__}")
    prompt_tokens, output_tokens = (count if type(count) is int else None for count in counts)
    return Answer(text, finished, prompt_tokens, output_tokens)


def _foreign(error: Exception, response: Data) -> InvalidStructure:
    return InvalidStructure(f"expected a chat completion, found {response!r:.200} ({type(error).__name__}: {error})")


PROTOCOLS: Mapping[str, Protocol] = MappingProxyType(
    {
        "openai": Protocol(
            "http://127.0.0.1:8000", "/v1/models", "/v1/chat/completions", frozenset({"id", "created"}), _openai
        ),
        "ollama": Protocol("http://127.0.0.1:11434", "/api/tags", "/api/chat", frozenset({"created_at"}), _ollama),
    }
)
