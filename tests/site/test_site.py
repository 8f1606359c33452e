"""The site as it was built: every public name, links that lead somewhere, pictures with words, and how it looks in a browser.

``python -m sphinx -W -n docs docs/_build/html`` builds it; where it is not built these tests are skipped.
"""

from __future__ import annotations

import functools
import http.server
import threading
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import pytest

import bayesf1 as bf
from browser import needs_browser
from builders import ROOT

SITE = ROOT / "docs" / "_build" / "html"
AXE = ROOT / ".axe" / "node_modules" / "axe-core" / "axe.min.js"
PAGES = sorted(
    path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html") if "_static" not in path.parts
)
# One template makes the pages of scripts, so that a few of them show its colours, headings and links.
GALLERY = [name for name in PAGES if name.startswith("gallery/")]
VARIED = [name for name in PAGES if name not in GALLERY] + GALLERY[::5]

pytestmark = pytest.mark.skipif(not PAGES, reason="the site is not built")


class Page(HTMLParser):
    """The targets of a page, where it leads, and its pictures."""

    def __init__(self, text):
        super().__init__()
        self.targets, self.links, self.pictures, self.fetched = set(), [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.targets |= {found[key] for key in ("id", "name") if found.get(key)}
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        if tag == "img":
            self.pictures.append(found)
        address = found.get("src") or (found.get("href") if tag == "link" else None)
        if address:
            self.fetched.append(address)


@functools.cache
def page(name):
    return Page((SITE / name).read_text(encoding="utf-8"))


def test_every_public_name_has_a_place_in_the_reference():
    targets = set().union(*(page(name).targets for name in PAGES if name.startswith("reference/")))
    names = {f"bayesf1.{name}" for name in bf.__all__ if name not in ("measures", "__version__")}
    names |= {f"bayesf1.measures.{name}" for name in bf.measures.__all__}
    assert names - targets == set()


@pytest.mark.parametrize("name", PAGES)
def test_links_within_the_site_lead_somewhere(name):
    broken = []
    for link in page(name).links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        path = (SITE / name).parent / unquote(parts.path) if parts.path else SITE / name
        path = path.resolve()
        if not path.exists():
            broken.append(link)
        elif parts.fragment and path.suffix == ".html":
            other = page(path.relative_to(SITE.resolve()).as_posix())
            if unquote(parts.fragment) not in other.targets:
                broken.append(link)
    assert broken == []


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fetches_nothing_from_elsewhere_and_its_pictures_have_words(name):
    assert [address for address in page(name).fetched if urlsplit(address).netloc] == []
    # A thumbnail stands beside its title, and would say it twice.
    quoted = [image for image in page(name).pictures if "thumb" not in image["src"]]
    assert [image for image in quoted if not image.get("alt")] == []


# ---- in a browser -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def address():
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    handler = functools.partial(Quiet, directory=str(SITE))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


# The inner width of a phone's window grows with what does not fit into it.
BEYOND = "const page = document.documentElement; return page.scrollWidth - page.clientWidth"


@needs_browser
def test_every_page_renders_without_a_complaint_and_none_is_wider_than_the_window(browser, address):
    complaints = {}
    for name in PAGES:
        browser.open(f"{address}/{name}", width=390)
        beyond = [browser.run(BEYOND)]
        browser.resize(1280)
        beyond.append(browser.run(BEYOND))
        said = [entry["message"] for entry in browser.log("browser") if entry["level"] == "SEVERE"]
        if max(beyond) > 0 or said:
            complaints[name] = (beyond, said)
    assert complaints == {}


# A colour on its way to another has no contrast: nothing moves, and what moves all the same arrives.
LOOK = """
const done = arguments[0];
document.getAnimations().filter(x => x instanceof CSSTransition).forEach(moving => moving.finish());
axe.run(document, {resultTypes: ["violations"]}).then(found =>
  done(found.violations.map(x => [x.id, x.nodes[0].html.slice(0, 200)])));
"""


@needs_browser
@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed")
@pytest.mark.parametrize(
    ("width", "scheme", "pages"),
    [(390, "light", VARIED), (1280, "dark", VARIED[::3]), (1280, "light", VARIED[:1])],
)
def test_pages_can_be_read_by_everybody(browser, address, width, scheme, pages):
    """Contrast, words for pictures, names of links and buttons, and whatever else axe-core knows.

    By night in a wide window one of these in three, as all have the same colours and bars; by day there, one.
    """
    found = {}
    wanted = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
    features = [{"name": name, "value": value} for name, value in wanted.items()]
    browser.devtools("Emulation.setEmulatedMedia", features=features)
    axe = browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=AXE.read_text(encoding="utf-8"))
    for name in pages:
        browser.open(f"{address}/{name}", width=width)
        # A busy machine may show a page before all of it has come.
        browser.wait("return document.readyState === 'complete' && document.querySelector('main') !== null")
        wrong = browser.run_until_done(LOOK)
        if wrong or browser.run("return document.documentElement.dataset.theme") != scheme:
            found[name] = wrong
    browser.devtools("Page.removeScriptToEvaluateOnNewDocument", identifier=axe["identifier"])
    assert found == {}


@needs_browser
@pytest.mark.parametrize("words", ["seeds", "macro F1"])
@pytest.mark.parametrize("offline", [False, True])
def test_search_finds_what_people_look_for(browser, address, words, offline):
    where = SITE.as_uri() if offline else address
    browser.open(f"{where}/search.html?q={words.replace(' ', '+')}", width=1280)
    assert browser.wait("return document.querySelectorAll('ul.search li').length >= 3")
