"""One contract over every kind of result object: whatever it is, it has every form."""

import csv
import io
import json
import re
from functools import cache
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest

import bayesf1 as bf
from bayesf1.base.answer import Answer
from bayesf1.base.formats import FORMATS, OF_OUTCOMES, Format, format_of
from bayesf1.base.table import escape_latex, escape_markdown
from bayesf1.base.terminal import show
from bayesf1.commands.main import main

HOSTILE = r"<b>x</b> & 50% _|$ \q"
COUNTS = bf.from_counts({HOSTILE: (77, 44, 10, 702), "B": (83, 9, 14, 720)})
GOLD = np.arange(40) % 3 == 0
LABELS = bf.from_labels(GOLD, {HOSTILE: np.arange(40) % 2 == 0, "B": np.arange(40) % 6 == 0})
FOLDS = bf.from_folds(
    {HOSTILE: [(77, 44, 10)] * 3 + [(70, 40, 17)] * 3, "B": [(80, 30, 7), (75, 31, 12)] * 3}
)


@cache
def fit():
    return bf.hierarchical({"x": COUNTS, "y": COUNTS}, rng=1, draws=200)


MAKERS = {
    "comparisons": lambda: bf.compare(COUNTS, rope=0.01),
    "comparisons of folds": lambda: bf.compare(FOLDS),
    "group comparisons": lambda: fit().compare(question="new"),
    "fit": lambda: fit().answer(),
    "ranking": lambda: bf.rank(COUNTS, rng=1, n_draws=500),
    "intervals": lambda: bf.intervals(COUNTS, HOSTILE, n_resamples=100, rng=1),
    "difference intervals": lambda: bf.difference_intervals(COUNTS, HOSTILE, "B", n_resamples=100, rng=1),
    "randomisation test": lambda: bf.randomization_test(LABELS),
    "fold tests": lambda: bf.fold_tests(FOLDS),
    "sample size": lambda: bf.plan(0.02, "recall"),
    "decision plan": lambda: bf.resolution(LABELS, rng=1, n_sets=200),
    "coverage": lambda: bf.coverage_curve([10, 20], 0.4, 0.1, 0.1, methods=["wald", "wilson_direct"]),
    "balance": lambda: bf.BlockedCV(m=3, rng=0).balance_report(GOLD, [HOSTILE, "b"] * 20),
}
# Those that name a model, and must do so safely.
NAMING = set(MAKERS) - {"sample size", "decision plan", "coverage"}


@pytest.fixture(scope="module", params=MAKERS)
def named(request):
    return request.param, MAKERS[request.param]()


@pytest.fixture
def answer(named):
    return named[1]


def test_it_is_an_answer_with_a_title_a_table_and_a_name_in_json(answer):
    assert isinstance(answer, Answer)
    assert answer.title
    assert answer.table.rows
    assert re.fullmatch(r"bayesf1\.[\w-]+/\d", answer.json_format)


def test_text_holds_the_table_what_is_below_and_where_it_is_titled_the_title(answer):
    text = answer.to_text()
    assert text.startswith(answer.title) == answer.titled
    assert answer.table.to_text() in text
    assert all(line in text for line in answer.below)


def test_it_prints_as_text_or_as_its_sentences(answer):
    assert str(answer) in (answer.to_text(), "\n".join(answer.below))


def test_a_terminal_shows_title_cells_and_sentences(answer, monkeypatch):
    monkeypatch.setenv("COLUMNS", "1000")
    out = io.StringIO()
    show(answer, out)
    shown = [answer.title, *answer.below, *(cell for row in answer.table.rows for cell in row)]
    assert all(text in out.getvalue() for text in shown)


def test_a_row_is_sure_or_not(answer):
    assert len(answer.table.sure) in (0, len(answer.table.rows))


def test_json_comes_back_and_has_no_nan(answer):
    document = json.loads(answer.to_json())
    assert document == json.loads(json.dumps(answer.document(), allow_nan=False))
    assert document["format"] == answer.json_format


def test_csv_has_a_line_for_each_record_under_their_names(answer):
    header, *lines = csv.reader(io.StringIO(answer.to_csv()))
    assert header == list(answer.records()[0])
    assert len(lines) == len(answer.records())
    assert {len(line) for line in lines} == {len(header)}


def test_a_frame_has_the_same_rows(answer):
    frame = answer.to_frame()
    assert len(frame) == len(answer.records()) > 0
    assert [*filter(None, frame.index.names), *frame.columns] == list(answer.records()[0])


def test_markdown_has_as_many_columns_in_every_row(answer):
    lines = [line for line in answer.to_markdown().splitlines() if line.startswith("|")]
    bars = {re.sub(r"\\.", "", line).count("|") for line in lines}
    assert bars == {len(answer.table.header) + 1}


def test_latex_takes_caption_label_and_siunitx(answer):
    text = answer.to_latex(caption="50 %", label="tab:x", siunitx=True)
    assert r"\caption{50~\%}" in text
    assert r"\label{tab:x}" in text
    assert r"\usepackage{siunitx}" in text
    widths = {
        len(re.findall(r"(?<!\\)&", row))
        for row in text.splitlines()
        if row.endswith(r"\\") and r"\multicolumn" not in row
    }
    assert widths == {len(answer.table.header) - 1}


def test_a_hostile_name_is_escaped_everywhere(named):
    name, answer = named
    assert HOSTILE not in answer.to_latex() + answer.to_markdown()
    if name not in NAMING:
        return
    page, captioned = answer._repr_html_(), answer.to_latex(caption=answer.title)
    assert "<b>x</b>" not in page
    assert "&lt;b&gt;" in page
    assert escape_latex(HOSTILE) in captioned
    assert escape_markdown(HOSTILE) in FORMATS["markdown"].render([answer]) or name == "group comparisons"


def test_html_closes_every_tag_that_it_opens(answer):
    opened = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attrs):
            opened.extend([tag] * (tag != "input"))

        def handle_endtag(self, tag):
            assert tag == "input" or opened.pop() == tag

    Reader().feed(answer._repr_html_())
    assert opened == []


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_of_the_table_renders_it(answer, name):
    text = FORMATS[name].render([answer])
    assert text.strip()


@pytest.mark.parametrize("name", FORMATS)
def test_several_answers_are_rendered_together(name):
    pairs = [bf.compare(COUNTS), bf.compare(COUNTS, "B", HOSTILE)]
    text = FORMATS[name].render(pairs)
    if name == "json":
        assert json.loads(text)["pairs"] == [res.to_dict() for res in pairs]
    elif name == "csv":
        assert len(text.splitlines()) == 1 + 2 * len(pairs[0])
    elif name == "junit":
        assert len(ElementTree.fromstring(text)) == 2
    elif name == "github":
        assert len(text.splitlines()) == 2
    else:
        assert text == "\n\n".join(FORMATS[name].render([res]) for res in pairs)


@pytest.mark.parametrize("name", [name for name in FORMATS if name not in OF_OUTCOMES])
def test_tests_are_rows_of_one_table(name):
    tests = [bf.randomization_test(LABELS, metric=metric) for metric in ("f1", "recall")]
    text = FORMATS[name].render(tests)
    if name == "json":
        assert json.loads(text) == {"format": "bayesf1.tests/1", "tests": [test.to_dict() for test in tests]}
    else:
        assert len(re.findall(r"^(\| )?F1|^(\| )?R\b|^f1|^recall", text, re.MULTILINE)) == 2
        assert text.lower().count("metric") == 1


class TestANewFormat:
    @pytest.fixture(autouse=True)
    def dummy(self, monkeypatch):
        shouted = Format(lambda answers: "!".join(answer.title.upper() for answer in answers), ".loud")
        monkeypatch.setitem(FORMATS, "loud", shouted)

    def test_the_command_line_offers_it(self, capsys):
        assert main(["compare", "--help"]) == 0
        assert "latex, junit, github or loud" in " ".join(capsys.readouterr().out.split())

    @pytest.mark.parametrize("command", ["compare", "rank", "interval"])
    def test_every_command_writes_it(self, command, tmp_path, capsys):
        path = tmp_path / "counts.csv"
        path.write_text("model,tp,fp,fn\nA,77,44,10\nB,83,9,14\n")
        assert main([command, str(path), "--format", "loud"]) == 0
        said = capsys.readouterr().out
        assert said == said.upper() != ""

    def test_the_ending_of_a_file_names_it(self, tmp_path):
        assert format_of(".LOUD") == "loud"
        assert main(["demo", "--output", str(tmp_path / "x.loud")]) == 0
        assert (tmp_path / "x.loud").read_text().startswith("BAYES TEST OF")


@pytest.mark.parametrize("width", [20, 40, 60])
def test_a_narrow_terminal_keeps_every_interval_in_one_line(width, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    out = io.StringIO()
    answer = bf.compare(bf.from_counts(A=(77, 44, 10), B=(80, 30, 7)), rope=0.01)
    show(answer, out)
    shown = out.getvalue().split("\n")
    assert max(map(len, shown)) <= width
    intervals = [f"[{part}" for row in answer.table.rows for cell in row for part in cell.split("[")[1:]]
    assert len(intervals) == 9
    assert [text for text in intervals if not any(text in line for line in shown)] == []
