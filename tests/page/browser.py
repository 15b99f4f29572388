"""A headless Chromium, driven over its debugging pipe: no driver, no package, no port."""

from __future__ import annotations

import base64
import itertools
import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage", "--mute-audio",
    "--remote-debugging-pipe", "--window-size=1280,900", "about:blank",
)  # fmt: skip
KEYS = {"Tab": 9, "Enter": 13}


class Browser:
    """One tab. What it complains of, and every address it asks for, is kept."""

    def __init__(self, into: IO[bytes], out: IO[bytes]) -> None:
        self._into, self._out = into, out
        self._ids = itertools.count(1)
        self._rest = b""
        self.session: str | None = None
        self.complaints: list[str] = []
        self.asked_for: list[str] = []
        (target,) = [t for t in self.send("Target.getTargets")["targetInfos"] if t["type"] == "page"]
        self.session = self.send("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command and return its result."""
        id = next(self._ids)
        message = {
            "id": id,
            "method": method,
            "params": params,
            **({"sessionId": self.session} if self.session else {}),
        }
        self._into.write(json.dumps(message).encode() + b"\0")
        for answer in iter(self._receive, None):
            if answer.get("id") == id:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]  # type: ignore[no-any-return]
            self._note(answer)
        raise AssertionError

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            block = self._out.read(1 << 16)
            assert block, "the browser has ended"
            self._rest += block
        line, _, self._rest = self._rest.partition(b"\0")
        return json.loads(line)  # type: ignore[no-any-return]

    def _note(self, event: Mapping[str, Any]) -> None:
        params = event.get("params", {})
        match event.get("method"):
            case "Runtime.exceptionThrown":
                self.complaints.append(params["exceptionDetails"].get("exception", {}).get("description", "exception"))
            case "Log.entryAdded":
                self.complaints.append(params["entry"]["text"])
            case "Network.requestWillBeSent":
                self.asked_for.append(params["request"]["url"])

    def run(self, expression: str) -> Any:
        """Return the JSON value of an expression in the page; a promise is waited for."""
        found = self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def open(self, address: str) -> None:
        """Open an address anew and wait until the page says it is no longer busy."""
        self.send("Page.navigate", url="about:blank")
        self.send("Page.navigate", url=address)
        self.settle()

    def settle(self) -> None:
        """Wait until the page shows what it was asked for."""
        self.run(
            """new Promise((resolve) => {
              const look = () => document.querySelector("main")?.getAttribute("aria-busy") === "false"
                ? requestAnimationFrame(() => resolve(true)) : setTimeout(look, 5);
              setTimeout(look, 5);
            })"""
        )

    def press(self, key: str, text: str = "") -> None:
        """Press a key, as from a keyboard."""
        code = {"key": key, "code": key, "windowsVirtualKeyCode": KEYS[key]}
        self.send("Input.dispatchKeyEvent", type="keyDown", text="\r" if key == "Enter" else text, **code)
        self.send("Input.dispatchKeyEvent", type="keyUp", **code)

    def type(self, text: str) -> None:
        """Type a text where the focus is."""
        self.send("Input.insertText", text=text)

    def text(self, selector: str) -> str:
        """Return the text of the first element that a selector finds."""
        return str(self.run(f"document.querySelector({json.dumps(selector)})?.textContent ?? ''"))

    def texts(self, selector: str) -> list[str]:
        """Return the texts of all elements that a selector finds."""
        return list(self.run(f"[...document.querySelectorAll({json.dumps(selector)})].map((e) => e.textContent)"))

    def prefer(self, scheme: str) -> None:
        """Prefer light or dark, as the reader's system would say."""
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def picture(self, path: Path) -> None:
        """Take a picture of the window."""
        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"]))


@contextmanager
def browser(program: str, folder: Path) -> Iterator[Browser]:
    """Yield a browser with a profile of its own in an empty folder; it has ended after the block."""
    theirs_in, ours_out = os.pipe()
    ours_in, theirs_out = os.pipe()
    # The pipe is file descriptors 3 and 4 of the browser, whatever these are here.
    inherit = 'exec 3< "/dev/fd/$1" 4> "/dev/fd/$2"; shift 2; exec "$@"'
    command = ["sh", "-c", inherit, "sh", str(theirs_in), str(theirs_out), program, f"--user-data-dir={folder}", *FLAGS]
    unheard = subprocess.DEVNULL
    with subprocess.Popen(
        command, pass_fds=(theirs_in, theirs_out), stdin=unheard, stdout=unheard, stderr=unheard
    ) as process:
        os.close(theirs_in)
        os.close(theirs_out)
        with os.fdopen(ours_out, "wb", buffering=0) as into, os.fdopen(ours_in, "rb", buffering=0) as out:
            try:
                yield Browser(into, out)
            finally:
                process.terminate()
                process.wait()
