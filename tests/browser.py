"""A headless Chromium, driven over its own protocol: what a page shows a person, and what the keyboard does there."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

from harness.report.page.opening import browser as find

# What the protocol wants to know of a key: its code, and the text that it types.
KEYS = {"Tab": (9, ""), "Enter": (13, "\r"), " ": (32, " "), "End": (35, ""), "Home": (36, ""), "ArrowLeft": (37, ""),
        "ArrowUp": (38, ""), "ArrowRight": (39, ""), "ArrowDown": (40, "")}  # fmt: skip


@dataclass(frozen=True)
class Seen:
    text: str
    errors: tuple[str, ...]
    picture: bytes


@contextmanager
def browser(profile: Path) -> Iterator[str]:
    """The address of a running browser's protocol."""
    program = find()
    assert program is not None, "no browser is installed"
    flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0", "--window-size=1300,1000"]
    process = subprocess.Popen(
        [program, *flags, f"--user-data-dir={profile}", "about:blank"], stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr is not None
        for line in process.stderr:
            if found := re.search(r"ws://(\S+?)/", line):
                yield f"http://{found.group(1)}"
                return
        raise RuntimeError("the browser ended before it listened")
    finally:
        process.terminate()
        process.wait(timeout=10)


@dataclass
class Tab:
    socket: aiohttp.ClientWebSocketResponse
    errors: list[str] = field(default_factory=list)
    number: int = 0

    async def call(self, method: str, **parameters: object) -> dict[str, Any]:
        self.number += 1
        await self.socket.send_json({"id": self.number, "method": method, "params": parameters})
        while True:
            row = json.loads((await self.socket.receive()).data)
            if row.get("method") == "Runtime.exceptionThrown":
                self.errors.append(row["params"]["exceptionDetails"]["exception"].get("description", "?"))
            if row.get("id") == self.number:
                assert "result" in row, row
                return dict(row["result"])

    async def value(self, expression: str) -> Any:
        found = await self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    async def press(self, key: str, times: int = 1) -> None:
        code, text = KEYS[key]
        front = {"key": key, "code": {" ": "Space"}.get(key, key), "windowsVirtualKeyCode": code}
        for _ in range(times):
            await self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **front)
            await self.call("Input.dispatchKeyEvent", type="keyUp", **front)

    async def until(self, expression: str, seconds: float = 40) -> bool:
        """Wait for it to hold, at most so long; whether it does."""
        for _ in range(int(seconds / 0.1)):
            if await self.value(expression):
                return True
            await asyncio.sleep(0.1)
        return False


@asynccontextmanager
async def tab(address: str, url: str, *before: tuple[str, dict[str, object]]) -> AsyncIterator[Tab]:
    """A page that is being opened. before: calls of the protocol that are made first, such as to emulate a phone."""
    async with aiohttp.ClientSession() as session:
        async with session.put(f"{address}/json/new?about:blank") as answer:
            target = (await answer.json())["webSocketDebuggerUrl"]
        async with session.ws_connect(target, max_msg_size=0) as socket:
            opened = Tab(socket)
            await opened.call("Runtime.enable")
            await opened.call("Page.enable")
            for method, parameters in before:
                await opened.call(method, **parameters)
            await opened.call("Page.navigate", url=url)
            yield opened
            await opened.call("Page.close")


def look(address: str, url: str, until: str, seconds: float = 40) -> Seen:
    """Open `url`, wait until its text holds `until` (at most so many seconds), and return what stands there then."""
    return asyncio.run(_look(address, url, until, seconds))


async def _look(address: str, url: str, until: str, seconds: float) -> Seen:
    text = "document.body ? document.body.innerText : ''"
    async with tab(address, url) as opened:
        await opened.until(f"({text}).includes({json.dumps(until)})", seconds)
        picture = await opened.call("Page.captureScreenshot")
        return Seen(await opened.value(text), tuple(opened.errors), base64.b64decode(picture["data"]))
