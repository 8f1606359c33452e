"""One contract over every kind of result object: whatever it is, it has every form."""

import csv
import io
import json
import re
from functools import cache, partial
from html.parser import HTMLParser

import numpy as np
import pytest

import bayesf1 as bf
from bayesf1.output.answer import FORMATS, Answer, written
from bayesf1.output.table import escape_latex, escape_markdown
from bayesf1.output.terminal import show

HOSTILE = r"<b>x</b> & 50% _|$ \q"
COUNTS = bf.from_counts({HOSTILE: (77, 44, 10, 702), "B": (83, 9, 14, 720)})
GOLD = np.arange(40) % 3 == 0
LABELS = bf.from_labels(GOLD, {HOSTILE: np.arange(40) % 2 == 0, "B": np.arange(40) % 6 == 0})
FOLDS = bf.from_folds(
    {HOSTILE: [(77, 44, 10)] * 3 + [(70, 40, 17)] * 3, "B": [(80, 30, 7), (75, 31, 12)] * 3},
    cv=bf.BlockedCV(3),
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


def test_the_signature_stands_at_the_foot_of_every_text(answer):
    signature = answer.signature()
    if answer.json_format == "bayesf1.balance/1":
        return  # Folds do not know their seed.
    assert signature.startswith("bayesf1|v:")
    assert answer.to_text().endswith(signature)
    assert answer.details().endswith(signature)
    assert answer.to_markdown().endswith(escape_markdown(signature))
    assert f"% {signature}" in answer.to_latex().splitlines()
    assert json.loads(answer.to_json())["signature"] == signature


DOCUMENTS = bf.from_labels(
    GOLD, {"A": np.arange(40) % 2 == 0, "B": np.arange(40) % 6 == 0}, groups=np.arange(40) // 2
)
DRAWN = {"rng": 2, "n_draws": 600, "prior": 1.0, "prob": 0.9, "rope": 0.02, "assumption": "independent"}
# A call, what it is given, and one by one what it may be given instead.
OPTIONS = {
    bf.compare: (DOCUMENTS, {"n_draws": 500}, {**DRAWN, "metrics": "f1", "method": "montecarlo"}),
    bf.rank: (DOCUMENTS, {"n_draws": 500}, {**DRAWN, "metric": "recall"}),
    bf.intervals: (
        COUNTS,
        {"model": "B", "n_resamples": 100, "rng": 1},
        {"metric": "recall", "confidence_level": 0.9, "prior": 1.0, "methods": ["delta"], "rng": 2},
    ),
    bf.randomization_test: (
        LABELS,
        {"n_trials": 100, "rng": 1},
        {"metric": "recall", "n_trials": 200, "rng": 2, "alternative": "greater", "confidence_level": 0.9},
    ),
    bf.resolution: (
        # So few as 40 items may decide nothing.
        LABELS + LABELS + LABELS,
        {"n_sets": 100, "rng": 1},
        {"metric": "precision", "p_h1": 0.9, "assurance": 0.7, "prior": 1.0, "n_sets": 200, "rng": 2},
    ),
    bf.hierarchical: (
        {"x": COUNTS, "y": COUNTS},
        {"draws": 200, "rng": 1},
        {"draws": 300, "rng": 2, "rope": 0.1, "prob": 0.9, "metrics": "f1", "weights": {"x": 3, "y": 1}}
        | {"prior": bf.HierarchicalPrior(spread=0.2)},
    ),
}


@pytest.mark.parametrize("verb", OPTIONS, ids=lambda verb: verb.__name__)
def test_equal_signatures_on_the_same_data_mean_equal_results(verb):
    data, given, instead = OPTIONS[verb]
    first, again = verb(data, **given), verb(data, **given)
    assert first.signature() == again.signature() != ""
    assert first.to_json() == again.to_json()
    for name, value in instead.items():
        other = verb(data, **{**given, name: value})
        # Of an exact test the seed does not matter.
        assert other.signature() != first.signature() or other.to_json() == first.to_json(), name


@pytest.mark.parametrize("verb", [bf.compare, bf.rank, bf.scoreboard, bf.randomization_test, bf.intervals])
def test_two_kinds_of_accuracy_have_different_signatures(verb):
    right = {"A": [1, 0, 1, 1, 0] * 4, "B": [1, 1, 1, 0, 0] * 4}
    given = {"model": "A"} if verb is bf.intervals else {}
    found = [
        verb(build(right, name=name), **given).signature()
        for name in ("acc", "acc_norm")
        for build in (bf.from_correct, partial(bf.from_scores, unit="query"))
    ]
    assert len(set(found)) == 4


def test_the_answers_of_a_fit_to_different_questions_have_different_signatures():
    answers = [fit().compare(question=question) for question in fit().questions]
    assert len({answer.signature() for answer in [*answers, fit()]}) == len(answers) + 1


def test_a_terminal_shows_title_cells_and_sentences(answer, monkeypatch):
    monkeypatch.setenv("COLUMNS", "1000")
    out = io.StringIO()
    show(answer, out)
    quoted = [answer.title, *answer.below, *(cell for row in answer.table.rows for cell in row)]
    assert all(text in out.getvalue() for text in quoted)


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


def test_latex_takes_caption_and_label(answer):
    text = answer.to_latex(caption="50 %", label="tab:x")
    assert r"\caption{50~\%}" in text
    assert r"\label{tab:x}" in text
    widths = {
        len(re.findall(r"(?<!\\)&", row))
        for row in text.splitlines()
        if row.endswith(r"\\") and r"\multicolumn" not in row
    }
    assert widths == {len(answer.table.header) - 1}


def test_a_hostile_name_is_escaped_everywhere(named):
    name, answer = named
    latex = "\n".join(line for line in answer.to_latex().splitlines() if not line.startswith("%"))
    assert HOSTILE not in latex + answer.to_markdown()
    if name not in NAMING:
        return
    page, captioned = answer._repr_html_(), answer.to_latex(caption=answer.title)
    assert "<b>x</b>" not in page
    assert "&lt;b&gt;" in page
    assert escape_latex(HOSTILE) in captioned
    assert escape_markdown(HOSTILE) in answer.to_markdown()


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
def test_several_answers_are_rendered_together(name):
    pairs = [bf.compare(COUNTS), bf.compare(COUNTS, "B", HOSTILE)]
    text = written(pairs, name)
    if name == "json":
        assert json.loads(text)["pairs"] == json.loads(json.dumps([res.document() for res in pairs]))
    elif name == "csv":
        assert len(text.splitlines()) == 1 + 2 * len(pairs[0])
    else:
        for res in pairs:
            assert written([res], name).partition("bayesf1")[0].strip() in text


def test_what_several_tables_say_is_printed_once_with_the_pairs_it_holds_for():
    right = {"A": np.arange(40) % 3 == 0, "B": np.arange(40) % 4 > 0, "C": np.arange(40) % 5 > 0}
    ev = bf.from_labels(GOLD, right, groups=np.arange(40) // 10)
    pairs = [bf.compare(ev, *pair, rope=0.3, n_draws=500) for pair in ("AB", "AC", "BC")]
    text = written(pairs, "table")
    assert [text.count(part) for part in ("only 4 documents", "bayesf1|", ", with 95 %")] == [1, 1, 3]
    assert "(all 3 tables)" in text
    assert [res.sentence() in text for res in pairs] == [True] * 3
    some = written([*pairs, bf.compare(LABELS, n_draws=500)], "table")
    assert "(B against A, C against A, C against B)" in some
    assert some.count("bayesf1|") == 4


@pytest.mark.parametrize("name", FORMATS)
def test_tests_are_rows_of_one_table(name):
    tests = [bf.randomization_test(LABELS, metric=metric) for metric in ("f1", "recall")]
    text = written(tests, name)
    if name == "json":
        assert [test["metric"] for test in json.loads(text)["tests"]] == ["f1", "recall"]
    else:
        assert len(re.findall(r"^(\| )?F1|^(\| )?Recall|^f1|^recall", text, re.MULTILINE)) == 2
        assert len(re.findall(r"(?i)^(\| )?metric", text, re.MULTILINE)) <= 1


@pytest.mark.parametrize("width", [32, 40, 60])
def test_a_narrow_terminal_keeps_every_interval_in_one_line(width, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    out = io.StringIO()
    answer = bf.compare(bf.from_counts(A=(77, 44, 10), B=(80, 30, 7)), rope=0.01)
    show(answer, out)
    # A signature is one word, to be copied whole.
    quoted = [line for line in out.getvalue().split("\n") if not line.startswith("bayesf1|")]
    assert max(map(len, quoted)) <= width
    intervals = [f"[{part}" for row in answer.table.rows for cell in row for part in cell.split("[")[1:]]
    assert len(intervals) == 9
    assert [text for text in intervals if not any(text in line for line in quoted)] == []


@pytest.mark.parametrize(
    ("columns", "encoding", "term", "drawn"),
    [
        (200, "utf-8", "xterm", True),
        (60, "utf-8", "xterm", False),
        (200, "ascii", "xterm", False),
        (200, "utf-8", "dumb", False),
    ],
)
def test_intervals_are_drawn_if_the_terminal_is_wide_and_has_the_characters(
    columns, encoding, term, drawn, monkeypatch
):
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", term)
    monkeypatch.setattr("rich.console.Console.is_terminal", True)
    for answer in (bf.compare(COUNTS), bf.rank(COUNTS, n_draws=500)):
        out = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="backslashreplace")
        show(answer, out)
        out.flush()
        assert ("─●─" in out.buffer.getvalue().decode()) == drawn
        assert "●" not in answer.to_text()
