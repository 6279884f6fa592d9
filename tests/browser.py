"""A headless Chromium, driven over its own protocol: what a page shows a person who waits for it."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


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


def look(address: str, url: str, until: str, seconds: float = 40) -> Seen:
    """Open `url`, wait until its text holds `until` (at most so many seconds), and return what stands there then."""
    return asyncio.run(_look(address, url, until, seconds))


async def _look(address: str, url: str, until: str, seconds: float) -> Seen:
    async with aiohttp.ClientSession() as session:
        async with session.put(f"{address}/json/new?about:blank") as answer:
            target = (await answer.json())["webSocketDebuggerUrl"]
        async with session.ws_connect(target, max_msg_size=0) as socket:
            errors: list[str] = []
            number = 0

            async def call(method: str, **parameters: object) -> dict[str, object]:
                nonlocal number
                number += 1
                await socket.send_json({"id": number, "method": method, "params": parameters})
                while True:
                    row = json.loads((await socket.receive()).data)
                    if row.get("method") == "Runtime.exceptionThrown":
                        errors.append(row["params"]["exceptionDetails"]["exception"].get("description", "?"))
                    if row.get("id") == number:
                        return row["result"]

            await call("Runtime.enable")
            await call("Page.enable")
            await call("Page.navigate", url=url)
            text, waited = "", 0.0
            while until not in text and waited < seconds:
                await asyncio.sleep(0.25)
                waited += 0.25
                found = await call("Runtime.evaluate", expression="document.body ? document.body.innerText : ''")
                text = str(found["result"]["value"])  # type: ignore[index]
            picture = await call("Page.captureScreenshot")
            return Seen(text, tuple(errors), base64.b64decode(str(picture["data"])))
