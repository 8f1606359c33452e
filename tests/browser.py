"""Headless Chromium, driven by the WebDriver protocol of its own driver; nothing is installed for it."""

import json
import re
import shutil
import subprocess
import time
import urllib.error
import urllib.request

import pytest

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None
)
DRIVER = shutil.which("chromedriver")
MISSING = [name for name, path in {"Chromium": CHROMIUM, "chromedriver": DRIVER}.items() if path is None]
needs_browser = pytest.mark.skipif(bool(MISSING), reason=f"no {''.join(MISSING[:1])} is installed")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)


class Refused(Exception):
    """What the driver would not do, and why."""


class Browser:
    """As much of the WebDriver protocol (W3C) as these tests speak."""

    def __init__(self, driver, profile):
        port = next(
            found[1] for line in driver.stdout if (found := re.search(r"successfully on port (\d+)", line))
        )
        # A proxy of the environment has nothing to do with the driver.
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        self.address = f"http://127.0.0.1:{port}/session"
        wanted = {
            "goog:chromeOptions": {"binary": CHROMIUM, "args": [*FLAGS, f"--user-data-dir={profile}"]},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
            "unhandledPromptBehavior": "ignore",
        }
        started = self.ask("POST", "", {"capabilities": {"alwaysMatch": wanted}})
        self.address += f"/{started['sessionId']}"

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self.address + path, data, headers, method=method)
        try:
            with self.opener.open(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            with error:
                found = json.load(error)["value"]
            raise Refused(found["error"], found["message"]) from None

    def run(self, script):
        return self.ask("POST", "/execute/sync", {"script": script, "args": []})

    def run_until_done(self, script):
        """Run a script until it calls its first argument, and return what that is given."""
        return self.ask("POST", "/execute/async", {"script": script, "args": []})

    def wait(self, script, seconds=20):
        """Run a script until it returns something true, and return that, or the last answer."""
        end = time.monotonic() + seconds
        while not (answer := self.run(script)) and time.monotonic() < end:
            time.sleep(0.1)
        return answer

    def devtools(self, command, **parameters):
        return self.ask("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def log(self, kind):
        return self.ask("POST", "/se/log", {"type": kind})

    def tell(self, selector, what, **how):
        """Tell the element of a selector to ``click``, or to take keys as its ``value``."""
        found = self.ask("POST", "/element", {"using": "css selector", "value": selector})
        (element,) = found.values()
        self.ask("POST", f"/element/{element}/{what}", how)

    def has_alert(self):
        try:
            self.ask("GET", "/alert/text")
        except Refused as refusal:
            if refusal.args[0] == "no such alert":
                return False
            raise
        return True

    def resize(self, width, height=900):
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.devtools("Emulation.setDeviceMetricsOverride", **size)

    def open(self, where, *, width=1100):
        self.resize(width)
        self.log("browser")
        self.log("performance")
        self.ask("POST", "/url", {"url": where if isinstance(where, str) else where.as_uri()})


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    command = [DRIVER, "--port=0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as driver:
        try:
            found = Browser(driver, tmp_path_factory.mktemp("profile"))
            yield found
            found.ask("DELETE", "")
        finally:
            driver.terminate()
