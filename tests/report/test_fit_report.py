"""The page of a hierarchical fit."""

import html
import re
from html.parser import HTMLParser

import pytest

import bayesf1 as bf
from bayesf1.report.fit_report import fit_html

CORPORA = {
    name: bf.from_counts({"<b>A</b>": (77, 44, 10 + i), "B": (83, 30, 14)})
    for i, name in enumerate(("news", "forum & chat", "wiki"))
}
FIT = bf.hierarchical(CORPORA)
PAGE = fit_html(FIT.answer())


def words(page):
    return html.unescape(re.sub(r"<[^>]+>", " ", page))


def test_everything_that_the_fit_says_stands_on_the_page():
    text = words(PAGE)
    for line in FIT.answer().below:
        assert line in text
    assert FIT.methods_sentence() in text
    for row in FIT.table().rows:
        assert all(cell in text for cell in row)


def test_names_are_no_markup():
    assert "<b>A" not in PAGE
    assert "&lt;b&gt;A" in PAGE


def test_the_figure_has_a_name_and_all_corpora():
    assert "Difference in F1 on each corpus, B minus" in words(PAGE)
    assert all(html.escape(name) in PAGE for name in CORPORA)


def test_a_page_needs_no_other_file():
    links = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attrs):
            links.extend(value for name, value in attrs if name in ("src", "href"))

    Reader().feed(PAGE)
    assert not [link for link in links if not link.startswith(("data:", "#"))]


def test_the_python_lines_make_the_same_fit():
    (lines,) = (code for code in re.findall(r"<code>(.*?)</code>", PAGE, re.DOTALL) if "hierarchical" in code)
    names = {"data": CORPORA}
    source = html.unescape(lines)
    assert "rng=0" in source
    exec("\n".join(line for line in source.splitlines() if not line.startswith(("data", "print"))), names)
    assert str(names["fit"]) == str(FIT)


def test_a_fit_of_one_corpus_speaks_of_one(tmp_path):
    fit = bf.hierarchical({"news": CORPORA["news"]})
    fit.to_html(tmp_path / "fit.html")
    text = words((tmp_path / "fit.html").read_text(encoding="utf-8"))
    assert "on news and beyond?" in text
    assert "1 corpora" not in text + str(fit)
    assert "On this one corpus: the data do not decide" in text


def test_what_a_comparison_of_a_fit_cannot_write_the_fit_can(tmp_path):
    with pytest.raises(ValueError, match=r"write it by fit\.to_html"):
        FIT.compare().to_html(tmp_path / "x.html")
