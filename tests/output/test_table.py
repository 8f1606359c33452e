"""Tables of strings: what they look like, and what they let nobody smuggle in."""

import csv
import io
import math

import pytest
from hypothesis import example, given, strategies as st

from bayesf1.base.naming import printable
from bayesf1.output.table import Table, escape_latex, escape_markdown
from bayesf1.output.words.numbers import digits_of, points, probability

NASTY = r"a_b & 50% $x$ #1 {y} ~z^w \q <b>|`*[1]"


# ---- numbers -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (0.0, "<0.001"),
        (0.000499, "<0.001"),
        (0.0005, "0.001"),
        (0.9994, "0.999"),
        (0.9995, ">0.999"),
        (1.0, ">0.999"),
    ],
)
def test_a_probability_has_three_decimals_and_is_never_0_or_1(p, text):
    assert probability(p) == text


@pytest.mark.parametrize(
    ("half_width", "digits"),
    [
        (50.0, 1),
        (1.0, 1),
        (0.99, 2),
        (0.036, 3),
        (1e-8, 6),
        (1e-12, 2),
        (0.0, 2),
        (math.nan, 2),
        (math.inf, 2),
    ],
)
def test_decimals_show_two_digits_of_the_uncertainty(half_width, digits):
    assert digits_of(0.0, 2.0 * half_width, percent=False) == digits


def test_points_have_a_true_minus_sign_and_no_negative_zero():
    assert points(-0.0123, 1, sign=True) == "−1.2"
    assert points(0.0123, 1, sign=True) == "+1.2"
    assert points(-0.00001, 1) == points(-0.00001, 1, sign=True) == "0.0"


def test_a_probability_just_below_a_threshold_shows_it():
    assert probability(0.97496, below=0.975) == "0.97496"
    assert probability(0.9751, below=0.975) == "0.975"


# ---- text --------------------------------------------------------------------------------------------------


def test_columns_are_aligned():
    text = Table(("Metric", "A"), (("P", "[1.0, 2.0]"), ("precision", "x"))).to_text()
    assert text.splitlines() == [
        "Metric     A",
        "─────────  ──────────",
        "P          [1.0, 2.0]",
        "precision  x",
    ]


@pytest.mark.parametrize("name", ["模型", "ｗｉｄｅ", "日本 A"])
def test_wide_characters_count_two_columns(name):
    _, rule, row = Table((name, "B"), (("x", "y"),)).to_text().splitlines()
    width = sum(2 if ord(c) > 0x2E80 else 1 for c in name)
    assert rule.split()[0] == "─" * width
    assert row == "x" + " " * (width - 1 + 2) + "y"


@pytest.mark.parametrize("name", ["e\u0301te\u0301", "n\u0303", "✓\ufe0f"])
def test_combining_characters_count_none(name):
    rule = Table((name, "B"), ()).to_text().splitlines()[1]
    assert len(rule.split()[0]) == len(name) - sum(c in "\u0301\u0303\ufe0f" for c in name)


# ---- Markdown ----------------------------------------------------------------------------------------------


def test_what_means_something_in_markdown_is_escaped():
    assert escape_markdown(NASTY) == (r"a\_b \& 50% \$x\$ #1 {y} \~z^w \\q \<b\>\|\`\*\[1\]")


@given(st.text(max_size=30))
def test_a_cell_never_breaks_a_row(cell):
    lines = Table(("A", "B"), ((cell, "x"),)).to_markdown().splitlines()
    assert len(lines) == 3
    bare = lines[2].replace("\\\\", "").replace("\\|", "")
    assert bare.count("|") == 3


@given(
    st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=8), min_size=2, max_size=2)
)
@example(["=1", "-1"])
def test_any_cells_come_back_but_for_control_characters_and_formulas(cells):
    text = Table(("A", "B"), (tuple(cells),)).to_csv()
    for found, cell in zip(list(csv.reader(io.StringIO(text, newline="")))[1], cells, strict=True):
        quoted = printable(cell)
        assert found == quoted or (found == f"'{quoted}" and quoted[0] in "=@+-")
        assert found[:1] not in ("=", "@")


# ---- LaTeX -------------------------------------------------------------------------------------------------


def test_what_means_something_in_latex_is_escaped():
    assert escape_latex(NASTY) == (
        r"a\_b \& 50\% \$x\$ \#1 \{y\} \textasciitilde{}z\textasciicircum{}w "
        r"\textbackslash{}q \textless{}b\textgreater{}\textbar{}`*[1]"
    )


def test_a_caption_or_label_makes_it_a_float():
    table = Table(("A",), (("x",),))
    assert r"\begin{table}" not in table.to_latex()
    text = table.to_latex(caption="50 % & more", label="tab: ünsafe}")
    assert r"\caption{50~\% \& more}" in text
    assert r"\label{tab:--nsafe-}" in text


# ---- emphasis ----------------------------------------------------------------------------------------------


TABLE = Table(
    ("Metric", "A", "p"),
    (("F1", "[1, 2]", "0.500"), ("R", "[3, 4]", "<0.001"), ("P", "x_y", "0.250")),
    bold=frozenset({(1, 1)}),
)


def test_a_cell_that_stands_out_is_bold_in_every_form_but_plain_text():
    assert r"\textbf{[3, 4]}" in TABLE.to_latex()
    assert r"**\[3, 4\]**" in TABLE.to_markdown()
    assert "<strong>[3, 4]</strong>" in TABLE.to_html()
    assert "*" not in TABLE.to_text() + TABLE.to_csv()


@pytest.mark.parametrize("cell", ["-0.5", "+1", "-1e-05", "1", "-.5", "-inf", "a=b", "", "x-1"])
def test_numbers_and_other_texts_stay_as_they_are_in_a_csv_file(cell):
    assert Table(("a", "b"), ((cell, "x"),)).to_csv().splitlines()[1] == f"{cell},x"
