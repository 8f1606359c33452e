"""The report in a real browser: headless Chromium, driven by the WebDriver protocol of its own driver.

Nothing is installed: where there is no Chromium with chromedriver, the tests are skipped.
"""

import base64
import json
import shutil
import subprocess

import numpy as np
import pytest

import bayesf1 as bf
from bayesf1.output.html import write_report
from bayesf1.output.words.numbers import equation
from browser import needs_browser

pytestmark = needs_browser
ARROW_RIGHT, PAGE_UP, HOME = "\ue014", "\ue00e", "\ue011"
HOSTILE = "</script><script>document.title='taken';alert(1)</script><img src=x onerror=alert(2)>"
LONG = "bert-large-multilingual-cased-finetuned-conll03-english_with_a_name_that_never_ends_v2"
EVALUATIONS = {
    "exact": bf.from_counts(A=(77, 44, 10, 702), B=(80, 30, 7, 716)),
    "hostile": bf.from_counts({HOSTILE: (77, 44, 10), LONG: (80, 30, 7)}),
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    for name, ev in EVALUATIONS.items():
        res = bf.compare(ev, metrics=["precision", "recall", "f1"], rope=0.013)
        write_report(res, folder / f"{name}.html", command=f"bayesf1 compare '{HOSTILE}.csv'")
    rng = np.random.default_rng(3)
    classes = list("abcdefgh") * 40
    said = [np.where(rng.random(320) < p, classes, "a").tolist() for p in (0.7, 0.75)]
    ev = bf.from_labels(classes, {HOSTILE: said[0], LONG: said[1]})
    write_report(bf.compare_classes(ev, rope=0.01, n_draws=4000, rng=1), folder / "classes.html")
    corpora = {name: bf.from_counts({"A": (77, 44, 10), LONG: (83, 30, 14)}) for name in ("news", HOSTILE)}
    bf.hierarchical(corpora, draws=500).to_html(folder / "fit.html")
    return folder


STATE = """
const part = (name) => document.getElementById(`pair1-m3-${name}`);
return [part("margin").textContent, ...["less", "within", "greater"].map((name) => part(name).textContent)];
"""


def shown(rope):
    c = bf.compare(EVALUATIONS["exact"], metrics="f1", rope=rope)["f1"]
    return [equation("P", p)[2:] for p in (c.p_less, c.p_rope, c.p_greater)]


def test_a_moved_slider_shows_what_a_comparison_with_that_rope_finds(browser, pages):
    browser.open(pages / "exact.html")
    start = browser.run(STATE)
    assert start == ["±1.3 percentage points", *shown(0.013)]
    browser.tell("#pair1-m3-slider", "value", text=PAGE_UP + 3 * ARROW_RIGHT)
    margin, *found = browser.run(STATE)
    rope = float(margin.removeprefix("±").split()[0]) / 100
    assert rope > 0.013
    assert found == shown(rope)
    browser.tell("#pair1-m3-slider", "value", text=HOME)
    c = bf.compare(EVALUATIONS["exact"], metrics="f1")["f1"]
    assert browser.run(STATE)[1:] == [equation("P", c.p_h0)[2:], "= 0", equation("P", c.p_h1)[2:]]
    browser.tell("#pair1-m3-reset", "click")
    assert browser.run(STATE) == start


SIZES = """
const e = document.documentElement, box = document.querySelector(".scroll");
return [e.clientWidth, e.scrollWidth, document.body.scrollWidth, box.clientWidth, box.scrollWidth,
        getComputedStyle(document.querySelector(".hint")).display];
"""


@pytest.mark.parametrize("width", [320, 1100])
@pytest.mark.parametrize("page", ["exact", "hostile", "classes", "fit"])
def test_a_page_asks_for_nothing_complains_of_nothing_and_is_no_wider_than_the_window(
    browser, pages, page, width
):
    browser.open(pages / f"{page}.html", width=width)
    assert [entry["message"] for entry in browser.log("browser")] == []
    events = [json.loads(entry["message"])["message"] for entry in browser.log("performance")]
    asked = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
    assert asked
    assert all(url.startswith((pages.as_uri(), "data:")) for url in asked)
    window, whole, body, room, table, hint = browser.run(SIZES)
    # But for a scroll bar, the window is as wide as was asked for.
    assert width - 20 < window <= width
    assert max(whole, body) <= window
    # A table that scrolls on a phone says so.
    assert (hint != "none") == (width == 320)
    assert width > 320 or table > room


def test_a_hostile_name_does_nothing(browser, pages):
    browser.open(pages / "hostile.html")
    assert not browser.has_alert()
    assert browser.run("return document.title") == f"Is {LONG} better than {HOSTILE}?"
    assert browser.run("return document.querySelectorAll('iframe, object, embed').length") == 0
    assert browser.run("return document.scripts.length") == 2
    seen = browser.run("return document.querySelector('.verdict').textContent")
    assert HOSTILE in seen


def test_the_policy_of_the_page_stops_a_script_that_slips_in(browser, pages, tmp_path):
    text = (pages / "exact.html").read_text(encoding="utf-8")
    spoilt = tmp_path / "spoilt.html"
    spoilt.write_text(
        text.replace("<main>", "<main><script>document.title='taken'</script>"), encoding="utf-8"
    )
    browser.open(spoilt)
    assert browser.run("return document.title") == "Is B better than A?"
    assert any("Content Security Policy" in entry["message"] for entry in browser.log("browser"))


def test_figures_are_shown_and_fill_a_phone_and_the_page_prints_to_pdf(browser, pages, tmp_path):
    browser.open(pages / "exact.html", width=360)
    widths = browser.run(
        """return [...document.querySelectorAll("figure img")].map((image) => image.getBoundingClientRect().width)"""
    )
    assert len(widths) == 6
    # Type of 7 points in a figure of 218 is then 10 pixels high.
    assert min(widths) > 300
    assert browser.run("return [...document.images].every((image) => image.naturalWidth > 0)")
    pdf = base64.b64decode(browser.ask("POST", "/print", {}))
    assert pdf.startswith(b"%PDF")
    if shutil.which("pdftotext"):
        target = tmp_path / "report.pdf"
        target.write_bytes(pdf)
        text = subprocess.run(["pdftotext", target, "-"], check=True, capture_output=True, text=True).stdout
        assert "Is B better than A?" in text
        assert "How to reproduce this" in text


def test_print_has_every_table_whole(browser, pages):
    browser.open(pages / "classes.html", width=700)
    browser.devtools("Emulation.setEmulatedMedia", media="print")
    cut = browser.run(
        """return [...document.querySelectorAll(".scroll")].filter((e) => e.scrollWidth > e.clientWidth).length"""
    )
    browser.devtools("Emulation.setEmulatedMedia", media="")
    assert cut == 0
