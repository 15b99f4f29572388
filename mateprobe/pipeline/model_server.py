"""One HTTP exchange with a server that may hang, babble or break off: every way it ends is a value."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Event, Timer
from time import perf_counter
from typing import Any
from urllib.parse import urlsplit

from mateprobe import strict_json
from mateprobe.canonical import canonical_bytes
from mateprobe.errors import InvalidValue
from mateprobe.pipeline.collection import Ended

EXCERPT = 1000
"""Characters kept of a body that is no answer."""


@dataclass(frozen=True, slots=True)
class Reply:
    """How an exchange ended, what came of it (a JSON object, or text that says what did), and after how long."""

    ended: Ended
    content: Any
    seconds: float


class ModelServer:
    """A server by its base URL, with the seconds an exchange may take and the bytes a body may have.

    No redirect is followed, no proxy used, nothing sent twice.

    Raises:
        InvalidValue: the URL is none of http or https.
    """

    def __init__(self, base_url: str, *, seconds: float, limit: int) -> None:
        connections = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}
        try:
            url = urlsplit(base_url)
            known = url.scheme in connections and url.hostname and (url.port is None or url.port > 0)
            str(url.hostname).encode("idna")
        except ValueError:  # a port, an address or a name that is none
            known = False
        if not known or not base_url.isascii() or "@" in url.netloc or url.query or url.fragment:
            raise InvalidValue(f"base URL {base_url!r}: expected http://HOST:PORT or https://HOST:PORT")
        self._connection = connections[url.scheme]
        self._host, self._prefix = url.netloc, url.path.rstrip("/")
        self._seconds, self._limit = seconds, limit

    def get(self, path: str) -> Reply:
        """Ask for ``path``."""
        return self._exchange("GET", path, None)

    def post(self, path: str, request: Mapping[str, Any]) -> Reply:
        """Send a request as JSON, its keys in their order: a schema's order is the order of what it lets through."""
        return self._exchange("POST", path, json.dumps(request, ensure_ascii=False).encode())

    def _exchange(self, method: str, path: str, body: bytes | None) -> Reply:
        began = perf_counter()
        connection = self._connection(self._host, timeout=self._seconds)
        expired = Event()
        ended, content = Ended.TIMEOUT, f"no complete answer within {self._seconds} s"
        try:
            connection.connect()
            with _ended_after(self._seconds, connection.sock, expired):
                connection.request(method, self._prefix + path, body, {"Content-Type": "application/json"})
                response = connection.getresponse()
                data = response.read(self._limit + 1)
            if not expired.is_set():  # else it is a part of something
                ended, content = self._read(response, data)
        except TimeoutError:
            pass
        except (OSError, http.client.HTTPException) as error:
            if not expired.is_set():
                ended, content = Ended.BROKEN_OFF, f"{type(error).__name__}: {error}"
        finally:
            connection.close()
        return Reply(ended, content, round(perf_counter() - began, 3))

    def _read(self, response: http.client.HTTPResponse, data: bytes) -> tuple[Ended, Any]:
        excerpt = data[:EXCERPT].decode(errors="replace")
        if len(data) > self._limit:
            return Ended.TOO_LARGE, f"more than {self._limit:,} bytes: {excerpt}"
        if response.length:  # the bytes announced that never came
            return Ended.BROKEN_OFF, f"closed {response.length:,} bytes before the end: {excerpt}"
        if response.status != http.HTTPStatus.OK:
            return Ended.HTTP_ERROR, f"{response.status}: {excerpt}"
        try:
            content = strict_json.loads(data, "response")
            strict_json.loads(canonical_bytes([content]), "response")  # nested once, as its record will hold it
        except InvalidValue as error:
            return Ended.NOT_JSON, f"{error}: {excerpt}"
        return (Ended.RETURNED, content) if isinstance(content, dict) else (Ended.NOT_JSON, excerpt)


@contextmanager
def _ended_after(seconds: float, connection: socket.socket, expired: Event) -> Iterator[None]:
    """Break the connection off after ``seconds``: a time limit on the whole, where the socket's is on each read."""

    def end() -> None:
        expired.set()
        with suppress(OSError):  # it is over already
            socket.socket.shutdown(connection, socket.SHUT_RDWR)  # under TLS too, whose own would first say goodbye

    timer = Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
