"""The report as a file: what stands in it, that it is whole by itself, and that nothing in it can act."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

import bayesf1 as bf
from bayesf1.output.html import report_html, write_report

HOSTILE = "</script><script>alert(1)</script><img src=x onerror='alert(2)'>\"&amp;--><!--"
COUNTS = bf.from_counts(A=(77, 44, 10, 702), B=(80, 30, 7, 716))
VOID = {"meta", "link", "input", "br", "hr", "img"}


class Page(HTMLParser):
    """Elements with their attributes, texts by the element they stand in; complains where tags do not match."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.texts, self.stack = [], [], []
        self.feed(text)
        self.close()
        assert self.stack == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.stack.append(tag)

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag

    def handle_data(self, data):
        self.texts.append((self.stack[-1] if self.stack else "", data))

    def all(self, tag):
        return [attrs for name, attrs in self.elements if name == tag]

    def text(self, *tags):
        return "".join(data for tag, data in self.texts if not tags or tag in tags)

    @property
    def drawings(self):
        return [base64.b64decode(image["src"].partition("base64,")[2]) for image in self.all("img")]


def by_class(names=("A", "B"), classes="abc"):
    rng = np.random.default_rng(5)
    gold = [name for name in classes for _ in range(40)]
    said = [np.where(rng.random(len(gold)) < p, gold, gold[0]).tolist() for p in (0.7, 0.8)]
    return bf.from_labels(gold, dict(zip(names, said, strict=True)))


@pytest.fixture(scope="module")
def counts():
    res = bf.compare(COUNTS, metrics=["precision", "f1"], rope=0.01, rng=1)
    return res, report_html(res, command="bayesf1 compare counts.csv --rope 0.01")


@pytest.fixture(scope="module")
def hostile():
    res = bf.compare(by_class((HOSTILE, f"b {HOSTILE}"), ("x", HOSTILE, "z")), rope=0.01, n_draws=1000, rng=1)
    return report_html(res, command=f"bayesf1 compare '{HOSTILE}'")


# ---- one file, by itself


def test_the_page_names_nothing_outside_itself(counts, hostile):
    for text in (counts[1], hostile):
        page = Page(text)
        for tag, attrs in page.elements:
            for key, value in attrs.items():
                if key in ("src", "href", "action", "data", "srcset", "poster", "xlink:href"):
                    assert value.startswith(("#", "data:")), (tag, key, value)
                assert not key.startswith("on")
                assert key != "style"
        assert "url(" not in page.text("style")
        assert "@import" not in page.text("style")
        assert not {tag for tag, _ in page.elements} & {
            "iframe",
            "object",
            "embed",
            "base",
            "form",
            "foreignobject",
        }
        assert not re.search("https?://", text)
        for drawing in page.drawings:
            assert not re.search(rb"<script|<image|<foreignObject|javascript:|\\son\\w+=", drawing)
            assert not [link for link in re.findall(rb'href="([^"]+)"', drawing) if not link.startswith(b"#")]


def test_the_policy_allows_the_pages_own_style_and_script_alone(counts):
    page = Page(counts[1])
    policy = next(m["content"] for m in page.all("meta") if m.get("http-equiv") == "Content-Security-Policy")
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["img-src"] == "data:"
    assert "unsafe" not in policy
    style = re.search(r"<style>(.*?)</style>", counts[1], re.DOTALL)[1]
    script = re.search(r"<script>(.*?)</script>", counts[1], re.DOTALL)[1]
    for rule, text in (("style-src", style), ("script-src", script)):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules[rule] == f"'sha256-{digest}'"


def test_it_is_fit_for_phones_and_for_those_who_listen(counts):
    page = Page(counts[1])
    assert {"name": "viewport", "content": "width=device-width, initial-scale=1"} in page.all("meta")
    assert page.all("html") == [{"lang": "en"}]
    assert len(page.drawings) == 4
    assert all(image["alt"].startswith("Posterior densit") for image in page.all("img"))


def test_no_two_elements_share_a_name_and_every_reference_leads_somewhere(hostile):
    page = Page(
        report_html([bf.compare(COUNTS, *pair, metrics="f1") for pair in ("AB", "BA")])
        + hostile.replace("pair1", "pairX")
    )
    # Two pages were joined, and each has its curves.
    ids = [attrs["id"] for _, attrs in page.elements if attrs.get("id") not in (None, "curves")]
    assert len(ids) == len(set(ids))
    used = [value for _, attrs in page.elements for value in attrs.values() if value]
    links = {value[1:] for value in used if re.fullmatch(r"#pair\w+[\w-]*", value)}
    assert links
    assert links <= set(ids)


# ---- what it says


def test_the_table_is_that_of_the_comparison(counts):
    res, text = counts
    page = Page(text)
    cells = [data for tag, data in page.texts if tag in ("td", "strong", "b")]
    for row in res.table.rows:
        assert all(cell in cells for cell in row)


def test_a_report_on_classes_draws_them_in_one_figure():
    res = bf.compare_classes(by_class(), n_draws=1000, rng=1)
    page = Page(report_html(res))
    assert res.sentence() in page.text("p")
    assert len(page.all("table")) == 1
    assert page.all("img")[0]["alt"].startswith("Difference in F1 by class")
    assert len(page.drawings) == 1


# ---- names that would be markup


def test_hostile_names_are_texts_everywhere(hostile):
    page = Page(hostile)
    assert page.all("script") == [{"type": "application/json", "id": "curves"}, {}]
    assert page.text("title").startswith(f"Is b {HOSTILE} better than {HOSTILE}?")
    assert HOSTILE in page.text("td")
    assert f"bayesf1 compare '{HOSTILE}'" in page.text("code")


def test_a_page_is_written_as_all_files_are(tmp_path):
    with pytest.raises(ValueError, match="there is no folder"):
        write_report(bf.compare(COUNTS, metrics="f1"), tmp_path / "missing" / "report.html")


# ---- losses, and hierarchical fits


@pytest.fixture(scope="module")
def fit():
    return bf.hierarchical(
        {
            name: bf.from_counts({"<b>A</b>": (77, 44, 10 + i), "B": (83, 30, 14)})
            for i, name in enumerate(("news", "forum & chat", "wiki"))
        }
    )


def test_everything_that_a_fit_says_stands_on_its_page(fit, tmp_path):
    fit.to_html(tmp_path / "fit.html", command="bayesf1 hierarchical <b>A</b>")
    text = (tmp_path / "fit.html").read_text(encoding="utf-8")
    assert "<b>A" not in text
    page = Page(text)
    words = page.text()
    for line in (*fit.answer().below, *fit.answer().more, "bayesf1 hierarchical <b>A</b>"):
        assert line in words
    for row in fit.table.rows:
        assert all(cell in words for cell in row)
    assert "Difference in F1 on each corpus, B minus <b>A</b>" in words
    assert len(page.drawings) == 1


@pytest.mark.parametrize("rope", [0.0, 0.02, (-0.005, 0.02)])
def test_the_slider_moves_along_the_comparisons_with_other_ropes(rope):
    c = bf.compare(COUNTS, metrics="f1", rope=rope)["f1"]
    ropes, less, greater = c.rope_curve()
    for i in (0, 1, ropes.index(c.rope), 50, 150):
        other = bf.compare(COUNTS, metrics="f1", rope=tuple(ropes[i]))["f1"]
        assert (less[i], greater[i]) == pytest.approx((other.p_less, other.p_greater), abs=1e-7)


def test_the_page_holds_the_curve_of_each_comparison(counts):
    res, page = counts
    curves = json.loads(re.search(r'id="curves">(.*?)</script>', page)[1])
    for curve, c in zip(curves, res.values(), strict=True):
        _, less, greater = c.rope_curve()
        assert (curve["less"], curve["greater"]) == (pytest.approx(less), pytest.approx(greater))


def test_of_a_loss_the_slider_says_how_likely_b_is_lower_by_more():
    rng = np.random.default_rng(1)
    a = rng.random(80)
    ev = bf.from_scores({"A": a, "B": a - 0.1 + 0.2 * rng.random(80)}, name="loss", lower_is_better=True)
    c = bf.compare(ev, rope=0.01, rng=1)["mean"]
    _, less, greater = c.rope_curve()
    assert (less[0], greater[0]) == pytest.approx((c.p_h0, c.p_h1))
    assert greater[-1] == pytest.approx(0.0, abs=2e-3)
