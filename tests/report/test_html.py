"""The report as a file: what stands in it, that it is whole by itself, and that nothing in it can act."""

import base64
import hashlib
import json
import re
import warnings
from html.parser import HTMLParser

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import bayesf1 as bf
from bayesf1.report.html import report_html, write_report
from bayesf1.report.recipe import python_lines, versions
from bayesf1.report.rope_curve import rope_curves
from builders import two_models

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

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag

    def handle_data(self, data):
        self.texts.append((self.stack[-1] if self.stack else "", data))

    def all(self, tag):
        return [attrs for name, attrs in self.elements if name == tag]

    def text(self, *tags):
        return "".join(data for tag, data in self.texts if not tags or tag in tags)

    @property
    def curves(self):
        (data,) = (data for tag, data in self.texts if tag == "script" and data.startswith("{"))
        return json.loads(data)["curves"]


def labelled(names=("A", "B"), n=400, **settings):
    return two_models(5, n, names, **settings)


def by_class(names=("A", "B"), classes="abc"):
    rng = np.random.default_rng(5)
    gold = [name for name in classes for _ in range(40)]
    said = [np.where(rng.random(len(gold)) < p, gold, gold[0]).tolist() for p in (0.7, 0.8)]
    return bf.from_labels(gold, dict(zip(names, said, strict=True)))


@pytest.fixture(scope="module")
def counts():
    res = bf.compare(COUNTS, metrics=["precision", "f1", "mcc"], rope=0.01, n_draws=20_000, rng=1)
    return res, report_html(res, command="bayesf1 compare counts.csv --rope 0.01")


@pytest.fixture(scope="module")
def paired():
    res = bf.compare(labelled(), metrics=["recall"], rope=0.01, rng=1)
    return res, report_html(res)


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
                    assert value.startswith(("#", "data:,")), (tag, key, value)
                assert not key.startswith("on")
                assert key != "style"
        assert "url(" not in page.text("style")
        assert "@import" not in page.text("style")
        assert not {tag for tag, _ in page.elements} & {
            "img",
            "iframe",
            "object",
            "embed",
            "base",
            "form",
            "foreignobject",
        }
        assert "http://" not in text.replace("http-equiv", "")
        assert "https://" not in text


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


def test_the_page_is_small(counts, paired, hostile):
    assert all(len(text.encode()) < 300_000 for text in (counts[1], paired[1], hostile))


def test_the_same_comparison_gives_the_same_page(counts):
    assert report_html(counts[0], command="bayesf1 compare counts.csv --rope 0.01") == counts[1]


def test_settings_of_matplotlib_change_neither_page_nor_themselves(counts):
    with mpl.rc_context(
        {"font.size": 30, "svg.fonttype": "path", "savefig.bbox": "tight", "axes.facecolor": "k"}
    ):
        before = dict(mpl.rcParams)
        assert report_html(counts[0], command="bayesf1 compare counts.csv --rope 0.01") == counts[1]
        assert dict(mpl.rcParams) == before


def test_no_figure_stays_open(counts):
    plt.close("all")
    report_html(counts[0])
    assert plt.get_fignums() == []


def test_it_is_fit_for_phones_and_for_those_who_listen(counts):
    page = Page(counts[1])
    assert {"name": "viewport", "content": "width=device-width, initial-scale=1"} in page.all("meta")
    assert page.all("html") == [{"lang": "en"}]
    drawings = [svg for svg in page.all("svg") if "aria-hidden" not in svg]
    assert len(drawings) == 6
    titles = {title["id"] for title in page.all("title") if "id" in title}
    assert all(svg["role"] == "img" and svg["aria-labelledby"] in titles for svg in drawings)
    labels = {label["for"] for label in page.all("label")}
    sliders = [x for x in page.all("input") if x["type"] == "range"]
    assert len(sliders) == 3
    assert {slider["id"] for slider in sliders} == labels
    assert all(slider["aria-valuetext"].startswith("±") for slider in sliders)


def test_no_two_elements_share_a_name_and_every_reference_leads_somewhere(hostile):
    page = Page(
        report_html([bf.compare(COUNTS, *pair, metrics=["recall", "f1"]) for pair in ("AB", "BA")])
        + hostile.replace("pair1", "pairX")
    )
    ids = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
    # Two pages were joined, and each has its own curves.
    ids.remove("curves")
    assert len(ids) == len(set(ids))
    used = [value for _, attrs in page.elements for value in attrs.values() if value]
    links = {name for value in used for name in re.findall(r"url\(#([^)]+)\)", value)}
    links |= {value[1:] for value in used if re.fullmatch(r"#pair\w+[\w-]*", value)}
    assert links
    assert links <= set(ids)


# ---- what it says


def test_it_says_verdict_assumptions_command_and_versions(counts):
    res, text = counts
    words = Page(text).text()
    assert res.sentence() in words
    assert str(res["precision"]) in words
    for part in ("Dirichlet(1) prior", "computed exactly", "computed by Monte Carlo", "not p-values"):
        assert part in words
    assert "bayesf1 compare counts.csv --rope 0.01" in words
    assert python_lines(res) in words
    assert res.methods_sentence() in words
    assert "Paired item by item, P(H1) for F1 would lie between" in words
    for name, version in versions().items():
        assert f"{name} {version}" in words
    assert np.__version__ == versions()["numpy"]


def test_the_table_is_that_of_the_comparison(counts):
    res, text = counts
    page = Page(text)
    cells = [data for tag, data in page.texts if tag in ("td", "strong", "b")]
    for row in res.table.rows:
        assert all(cell in cells for cell in row)


def test_the_independent_answer_stands_beside_the_paired_one(paired):
    res, text = paired
    words = Page(text).text("td", "strong", "b")
    assert "paired" in words
    assert "independent" in words
    for c in res.values():
        assert f"{c.independent.p_h0:.3f}{c.independent.p_h1:.3f}" in words
        assert c.independent.p_h1 != pytest.approx(c.p_h1, abs=1e-3)
    assert "same 400 items" in Page(text).text()


def test_where_only_totals_are_known_it_says_that_there_is_no_paired_answer(counts):
    assert "Only totals are known here" in Page(counts[1]).text()


def test_classes_are_compared_one_by_one():
    ev = by_class(classes=("LOC", "ORG", "PER"))
    res = bf.compare(ev, metrics="f1", rope=0.02, n_draws=4000, rng=1)
    page = Page(report_html(res))
    alone = bf.compare_classes(ev, rope=0.02, rng=0)
    words = page.text("td", "strong", "b")
    assert "Class by class" in page.text("h2")
    for name in ("LOC", "ORG", "PER"):
        c = alone[f"f1[{name}]"]
        assert re.search(rf"{name}[\d.]+ \[.*?{c.p_h1:.3f}", words)
    assert "Class by class" not in Page(report_html(bf.compare(COUNTS, metrics="f1"))).text("h2")


def test_a_report_on_classes_alone_shows_their_table_once():
    res = bf.compare_classes(by_class(), n_draws=1000, rng=1)
    page = Page(report_html(res))
    assert res.sentence() in page.text("p")
    assert len(page.curves) == 3
    assert len(page.all("table")) == 1
    assert "pair1-classes-title" in {title.get("id") for title in page.all("title")}


def test_of_very_many_classes_the_most_frequent_are_shown():
    rng = np.random.default_rng(0)
    names = [f"k{i}" for i in range(60)]
    gold = [name for i, name in enumerate(names) for _ in range(1 + i // 4)]
    said = [np.where(rng.random(len(gold)) < p, gold, "k0").tolist() for p in (0.7, 0.8)]
    ev = bf.from_labels(gold, {"A": said[0], "B": said[1]})
    page = Page(report_html(bf.compare(ev, metrics="f1", n_draws=200, rng=1)))
    assert "40 most frequent of 60 classes" in page.text("p")
    cells = page.text("td")
    assert "k59" in cells
    assert "k19[" not in cells


def test_several_pairs_share_a_page():
    ev = bf.from_counts(A=(77, 44, 10), B=(80, 30, 7), C=(60, 20, 27))
    pairs = [bf.compare(ev, *pair, metrics="f1") for pair in (("A", "B"), ("A", "C"), ("B", "C"))]
    page = Page(report_html(pairs))
    assert "Bayes tests of 3 pairs of models" in page.text("h1")
    assert [a["href"] for a in page.all("a")] == [f"#{article['id']}" for article in page.all("article")]
    assert len(page.curves) == 3
    for res in pairs:
        assert page.text("a").count(res.sentence()) == 1


def test_few_units_are_cautioned_against_and_not_warned_of_again():
    ev = labelled(n=60, groups=[i // 10 for i in range(60)])
    with pytest.warns(UserWarning, match="only 6 documents"):
        res = bf.compare(ev, metrics="f1", n_draws=1000, rng=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "only 6 documents" in Page(report_html(res)).text("p")


# ---- names that would be markup


def test_hostile_names_are_texts_everywhere(hostile):
    page = Page(hostile)
    assert len(page.all("script")) == 2
    assert page.all("script")[0] == {"type": "application/json", "id": "curves"}
    assert page.text("title").startswith(f"Is b {HOSTILE} better than {HOSTILE}?")
    assert page.curves[0]["model_a"] == HOSTILE
    assert HOSTILE in page.text("td")
    assert f"bayesf1 compare '{HOSTILE}'" in page.text("code")
    # In figures names of this length lose their middle.
    assert "</script><script>al" in page.text("text")
    data = re.search(r'id="curves">(.*?)</script>', hostile, re.DOTALL)[1]
    assert not set("<>&") & set(data)


@settings(max_examples=6, deadline=None)
@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=12).filter(str.strip))
def test_any_name_leaves_the_page_whole(name):
    ev = bf.from_counts({name: (7, 4, 1), f"{name}!": (8, 3, 1)})
    page = Page(report_html(bf.compare(ev, metrics="f1"), command=name))
    assert [tag for tag, _ in page.elements].count("script") == 2
    assert page.curves[0]["model_a"] == name


def test_a_command_that_is_no_unicode_does_not_stop_the_report(tmp_path):
    write_report(
        bf.compare(COUNTS, metrics="f1"), tmp_path / "report.html", command="bayesf1 compare a\udcff.csv"
    )
    assert "bayesf1 compare a�.csv" in (tmp_path / "report.html").read_text(encoding="utf-8")


# ---- the curves that the sliders move along


@pytest.mark.parametrize("rope", [0.0, 0.01, 0.0137])
def test_embedded_probabilities_are_those_of_comparisons_with_these_ropes(rope):
    page = Page(report_html(bf.compare(COUNTS, metrics=["recall", "f1"], rope=rope)))
    for curve in page.curves:
        margins = curve["margins"]
        assert margins[curve["start"]] == rope
        assert margins == sorted(set(margins))
        assert margins[0] == 0.0
        assert 80 <= len(margins) <= 202
        for i in (0, 1, curve["start"], len(margins) // 2, len(margins) - 1):
            c = bf.compare(COUNTS, metrics=curve["metric"], rope=margins[i])[curve["metric"]]
            assert curve["less"][i] == pytest.approx(c.p_less, abs=1e-8)
            assert curve["greater"][i] == pytest.approx(c.p_greater, abs=1e-8)
        assert curve["less"][-1] + curve["greater"][-1] < 2e-3


def test_paired_curves_agree_with_the_quadrature():
    ev = labelled()
    compared = bf.compare(ev, metrics=["precision", "f1"], rope=0.02, rng=1).values()
    for c, curve in zip(compared, rope_curves(compared), strict=True):
        assert (curve.less[curve.start], curve.greater[curve.start]) == (c.p_less, c.p_greater)
        assert (curve.less[0], curve.greater[0]) == (c.p_h0, c.p_h1)
        for i in range(5, len(curve.margins), 50):
            other = bf.compare(ev, metrics=c.metric, rope=curve.margins[i], rng=2)[c.metric]
            # A share of a million draws has a standard error of at most 0.0005.
            found = (curve.less[i], curve.within[i], curve.greater[i])
            assert found == pytest.approx((other.p_less, other.p_rope, other.p_greater), abs=2e-3)


def test_curves_from_draws_are_shares_of_the_draws():
    ev = labelled(groups=[i // 4 for i in range(400)])
    c = bf.compare(ev, metrics="f1", rope=0.02, n_draws=2000, rng=1)["f1"]
    (curve,) = rope_curves([c])
    for i in range(1, len(curve.margins), 10):
        other = bf.compare(ev, metrics="f1", rope=curve.margins[i], n_draws=2000, rng=1)["f1"]
        assert (curve.less[i], curve.greater[i]) == pytest.approx((other.p_less, other.p_greater), abs=1e-12)


@settings(max_examples=25, deadline=None)
@given(
    st.tuples(*[st.integers(0, 10**6)] * 3).filter(any),
    st.tuples(*[st.integers(0, 10**6)] * 3).filter(any),
    st.floats(0.0, 0.99),
)
def test_wider_regions_hold_more_and_probabilities_add_up(a, b, rope):
    c = bf.compare(bf.from_counts(A=a, B=b), metrics="f1", rope=rope)["f1"]
    (curve,) = rope_curves([c])
    assert curve.margins[curve.start] == rope
    assert np.all(np.diff(curve.margins) > 0)
    assert np.all(np.diff(curve.less) <= 1e-9)
    assert np.all(np.diff(curve.greater) <= 1e-9)
    assert np.allclose(curve.less + curve.within + curve.greater, 1.0, atol=1e-9)
    labels = curve.labels(percent=True)
    assert np.allclose(
        [float(x.removeprefix("±")) for x in labels], 100 * curve.margins, rtol=6e-4, atol=1e-12
    )


def test_a_region_that_no_draw_fell_into_is_improbable_and_not_impossible():
    ev = bf.from_counts(A=(900, 50, 50), B=(100, 800, 850))
    texts = [
        Page(report_html(bf.compare(ev, metrics="f1", rope=rope, method="montecarlo", n_draws=1000, rng=1)))
        for rope in (0.0, 0.01)
    ]
    assert "P = 0" in texts[0].text("dd", "span")
    assert "P = 0" not in texts[1].text("dd", "span")


def test_half_widths_are_shown_in_the_units_of_the_measure(counts):
    by_metric = {curve["metric"]: curve for curve in Page(counts[1]).curves}
    f1, mcc = by_metric["f1"], by_metric["mcc"]
    assert f1["labels"][f1["start"]] + f1["unit"] == "±1.0 percentage points"
    assert mcc["labels"][mcc["start"]] + mcc["unit"] == "±0.010"


# ---- how to reproduce it


EVALUATIONS = {
    "counts": COUNTS,
    "folds": bf.load_example("wang-li-org"),
    "items": labelled(('a "quoted" name', "B\\")),
}


@pytest.mark.parametrize("name", EVALUATIONS)
def test_the_python_lines_make_the_same_comparison(name):
    res = bf.compare(EVALUATIONS[name], metrics=["precision", "f1"], rope=0.01, prior=0.5, prob=0.9, rng=1)
    names = {}
    exec(python_lines(res), names)
    for metric, c in res.items():
        again = names["res"][metric]
        assert (again.model_a, again.model_b, again.prob) == (c.model_a, c.model_b, 0.9)
        # Exact but for the quadrature of pairs, which is random in its fifth decimal.
        found = (again.p_h1, again.p_rope, again.mcse > 0)
        assert found == pytest.approx((c.p_h1, c.p_rope, c.mcse > 0), abs=3e-4 if c.mcse else 1e-12)


def test_what_cannot_be_written_out_is_described():
    ev = bf.load_example("wnut17")
    res = bf.compare(ev, "Arcada", "FLYTXT", metrics="f1", n_draws=1000, rng=1)
    lines = python_lines(res)
    assert "1287 sentences" in lines
    assert "assumption='clustered'" in lines
    compile(lines, "lines", "exec")


def test_draws_that_were_asked_for_are_asked_for_again():
    res = bf.compare(COUNTS, metrics="f1", method="montecarlo", n_draws=1000, rng=1)
    assert "method='montecarlo', n_draws=1000, rng=1)" in python_lines(res)
    assert "method" not in python_lines(bf.compare(COUNTS, metrics=["f1", "mcc"], n_draws=1000, rng=1))


def test_a_callable_measure_goes_by_its_name():
    def hits(tables):
        return tables[..., 0] / tables.sum(axis=-1)

    lines = python_lines(bf.compare(COUNTS, metrics=["f1", hits], n_draws=1000, rng=1))
    assert "metrics=['f1', hits]" in lines


# ---- bad input


@pytest.mark.parametrize("bad", [None, 3, "f1", [], [3], bf.Comparisons([])])
def test_what_is_no_comparison_is_refused(bad):
    with pytest.raises(ValueError, match="a report shows Comparisons, as compare returns"):
        report_html(bad)


def test_leading_axes_are_refused():
    many = np.ones((3, 3))
    with pytest.raises(ValueError, match=r"one experiment, but the comparison of P has leading axes \(3,\)"):
        report_html(bf.compare(bf.from_counts(A=many, B=many)))


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    res = bf.compare(COUNTS, metrics="f1")
    write_report(res, tmp_path / "report.html", command="bayesf1 compare")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == report_html(
        res, command="bayesf1 compare"
    )
    with pytest.raises(ValueError, match="there is no folder"):
        write_report(res, tmp_path / "missing" / "report.html")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


# ---- regions that are not symmetric


def test_a_slider_keeps_the_shape_of_the_region():
    res = bf.compare(COUNTS, metrics="f1", rope=(-0.005, 0.02))
    c = res["f1"]
    (curve,) = rope_curves([c])
    assert curve.margins[curve.start] == 0.02
    assert curve.labels(percent=True)[curve.start] == "−0.5 to +2.0"
    assert (curve.less[curve.start], curve.greater[curve.start]) == (c.p_less, c.p_greater)
    for i in range(5, len(curve.margins), 50):
        margin = curve.margins[i]
        other = bf.compare(COUNTS, metrics="f1", rope=(-0.25 * margin, margin))["f1"]
        found = (curve.less[i], curve.within[i], curve.greater[i])
        assert found == pytest.approx((other.p_less, other.p_rope, other.p_greater), abs=1e-9)
    page = Page(report_html(res))
    assert page.curves[0]["shape"] == [-0.25, 1.0]
    assert "As reported: −0.5 to +2 percentage points" in report_html(res)


def test_of_a_loss_the_band_lies_where_b_is_lower():
    rng = np.random.default_rng(1)
    ev = bf.from_scores({"A": rng.random(60), "B": rng.random(60)}, name="loss", lower_is_better=True)
    text = report_html(bf.compare(ev, rope=(-0.01, 0.04), rng=1))
    assert Page(text).curves[0]["shape"] == [-1.0, 0.25]
    assert "ROPE of Mean loss: B ahead by" in text
