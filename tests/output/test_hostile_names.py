"""Hostile names through every field that can carry one, in every format: none is obeyed by who reads it."""

import csv
import io
import json
import re
import tempfile
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import bayesf1 as bf
from bayesf1.cli.main import main
from bayesf1.output.html import report_html
from bayesf1.output.panels import render
from bayesf1.output.terminal import show
from builders import needed
from file_samples import inspect_log, lm_eval_samples

NAMES = [
    *("\x1b[2J", "\x1b]0;title\x07x", "\x9b31m", "a\nb", "a\r\nb", "\x08\x08x", "\u202eabc"),
    *("a\u2028b", "x\u200by", "<script>alert(1)</script>", "<img src=x onerror=alert(1)>"),
    *("</title></script><script>x", "<!--", "]]>", "\"'><svg onload=x>", "&lt;b&gt;", "&#60;"),
    *("[x](javascript:alert(1))", "![x](http://e/x.png)", "<http://e>", "`rm -rf`", "|a|b|", "**b**"),
    *("# head", "\\input{/etc/passwd}", "\\write18{id}", "$x$", "% comment", "}{", "\\\\", "~^_&#"),
    *("[1]", "*x", "=cmd()", "@SUM(A1)", "+1+cmd|'x'!A0", "-2+3", "\t=1+1", "{{7*7}}", "{% raw %}"),
    *("{0}{x}", "%s%n%(x)s", "javascript:alert(1)", "../../etc/passwd", "模型", "e\u0301", "😀"),
    *("العربية", "${jndi:ldap://x}", "$(id); rm", "nan", "None", "[red]x[/red]", "[bold", "x" * 300),
]
GOLD = np.arange(60) % 3 == 0
FIRST, SECOND = np.arange(60) % 2 == 0, np.arange(60) % 6 == 0
COUNTS = bf.from_counts(A=(77, 44, 10), B=(83, 9, 14))
PAIR = bf.from_labels(GOLD, {"A": FIRST, "B": SECOND})


def model(name):
    return bf.from_labels(GOLD, {name: FIRST, "B": SECOND})


def label(name):
    gold, one, other = (np.array(["u", "v", name], object)[np.arange(60) * k // 2 % 3] for k in (2, 3, 4))
    return bf.from_labels(list(gold), {"A": list(one), "B": list(other)})


def unit(name):
    return bf.from_scores({"A": np.arange(30) / 30, "B": np.arange(30) % 7 / 7}, name="NDCG", unit=name)


def metric(name):
    return bf.from_scores({"A": np.arange(30) / 30, "B": np.arange(30) % 7 / 7}, name=name)


def note(name):
    return replace(PAIR, remarks=(name,))


def corpus(name):
    return bf.hierarchical(dict.fromkeys((name, "d", "e"), COUNTS), metrics="f1", rng=1, draws=200)


def task(name):
    """Two tasks of a log, which are pooled, and that is told."""
    tasks = [f"samples_{task}_2026-01-02T03-04-05.678.jsonl" for task in (name, "other")]
    logs = {f"{m}/{file}": lm_eval_samples(right) for m, right in RIGHT.items() for file in tasks}
    return read_files(logs, {m: m for m in RIGHT})


def file(name):
    """A log that says of itself that it was cut."""
    needed("inspect_ai")
    scored = {f"q{i}": "CI"[i % 2] for i in range(4)}
    logs = {f"{m}/{name}.json": inspect_log(m, scored, status="cancelled") for m in RIGHT}
    return read_files(logs, {m: m for m in RIGHT})


def group(name):
    """Documents, some of whose items have no gold label yet."""
    gold = [*GOLD[:50].tolist(), *[None] * 10]
    groups = [name if i > 57 else f"d{i // 3}" for i in range(60)]
    return bf.from_labels(gold, {"A": FIRST, "B": SECOND}, judge=FIRST, groups=groups)


RIGHT = {"A": [1.0, 0.0, 1.0, 1.0], "B": [1.0, 1.0, 0.0, 1.0]}


def read_files(files, models):
    with tempfile.TemporaryDirectory() as folder:
        for path, data in files.items():
            try:
                Path(folder, path).parent.mkdir(exist_ok=True)
                Path(folder, path).write_bytes(data)
            except OSError as error:
                raise ValueError("no name of a file") from error
        return bf.read({m: Path(folder, path) for m, path in models.items()})


def plain(text):
    assert all(c == "\n" or c.isprintable() for c in text)


def assert_harmless(answer):
    """Check every form of an answer."""
    screen = io.StringIO()
    show(answer, screen, verbose=True)
    for text in (
        str(answer),
        repr(answer),
        answer.details(),
        answer.to_markdown(),
        answer.to_json(),
        answer.to_csv(),
        answer.to_frame().to_string(),
    ):
        plain(text)
    plain(screen.getvalue())
    assert not re.search(r"(?<!\\)(\\\\)*[<\[]", answer.to_markdown())
    assert json.loads(answer.to_json())
    assert not any(
        re.match(r"[=@]|[+-]\D*[a-zA-Z+-]", cell)
        for row in csv.reader(io.StringIO(answer.to_csv()))
        for cell in row
    )
    latex = answer.to_latex(caption=answer.title)
    plain(latex)
    comments, _, source = latex.partition(r"\begin{table}")
    assert all(line.startswith("%") for line in comments.splitlines())
    assert not re.search(r"\\(input|write)|(?<!\\)[#~^]|(?<!\\)%", source.replace(r"~\%", ""))
    plain(answer._repr_html_())
    tags = tags_of(answer._repr_html_())
    assert tags <= {"p", "table", "thead", "tbody", "tr", "th", "td", "strong"}


def tags_of(page):
    found = set()

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attrs):
            found.add(tag)

    Reader().feed(page)
    return found


FIELDS = [model, label, unit, metric, note, corpus, task, file, group]


def fields_and_names():
    """Every name in one or two of the fields, so that a field meets a sixth of each kind; two in five of these always."""
    for j, field in enumerate(FIELDS):
        for i, name in enumerate(NAMES):
            if (i + j) % 6 == 0:
                marks = [pytest.mark.long] * ((i // 6 + j) % 5 > 1)
                yield pytest.param(field, name, id=f"{field.__name__}-{i}", marks=marks)


@pytest.mark.parametrize(("field", "name"), [*fields_and_names()])
def test_no_form_of_a_comparison_obeys_a_name(field, name):
    try:
        ev = field(name)
    except ValueError as error:
        plain(str(error))
        return
    if field is corpus:
        plain(ev.summary().to_string())
        assert_harmless(ev.answer())
        return
    plain(bf.summary(ev, rng=1, n_draws=200).to_string())
    assert_harmless(bf.compare(ev, rng=1, n_draws=200, rope=0.01))
    if field is group:
        assert_harmless(bf.plan_labels(ev, budget=5, rng=1))


# No answer names a group.
@pytest.mark.parametrize("field", [model, label, unit, metric, note, corpus, task, file])
def test_every_field_reaches_every_form_of_an_answer(field):
    ev = field("quokka")
    match field.__name__:
        case "corpus":
            answer = ev.answer()
        case "label":
            answer = bf.compare_classes(ev, rng=1, n_draws=200)
        case _:
            answer = bf.compare(ev, rng=1, n_draws=200)
    forms = [answer.details(), answer.to_markdown(), answer.to_json(), answer.to_latex()]
    forms += [answer._repr_html_(), *([answer.to_csv()] if field in (model, label, corpus) else [])]
    assert [form for form in forms if "quokka" not in form] == []


# Everything else that has names, each with all of them at once.
def many_models():
    return bf.from_labels(GOLD, dict(zip(NAMES, (FIRST, SECOND) * len(NAMES), strict=False)))


def many_labels():
    labels = np.array(NAMES, object)[np.arange(3 * len(NAMES)) % len(NAMES)]
    return bf.from_labels(list(labels), {"A": list(labels), "B": list(labels[::-1])})


ANSWERS = {
    "ranked": lambda: bf.rank(many_models(), rng=1, n_draws=200),
    "scoreboard": lambda: bf.scoreboard(many_models(), rng=1, n_draws=200),
    "classes": lambda: bf.compare_classes(many_labels(), rng=1, n_draws=200),
    "corpora": lambda: bf.hierarchical(
        dict.fromkeys(NAMES[::8], COUNTS), metrics="f1", rng=1, draws=200
    ).answer(),
    "groups": lambda: bf.plan_labels(
        bf.from_labels(
            [*GOLD[:50].tolist(), *[None] * 10],
            {"A": FIRST, NAMES[0]: SECOND},
            judge={NAMES[11]: FIRST},
            groups=[*NAMES, *"abcdefgh"][:60],
        ),
        budget=5,
        rng=1,
    ),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_no_form_of_other_answers_obeys_a_name(name):
    assert_harmless(ANSWERS[name]())


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES[::4], ids=range(len(NAMES[::4])))
def test_no_form_of_tests_and_intervals_obeys_a_name(name):
    ev = model(name)
    assert_harmless(bf.randomization_test(ev, rng=1, n_trials=50))
    assert_harmless(bf.intervals(ev, ev.models[0], methods=["delta"], rng=1))


@pytest.fixture(scope="module")
def plain_tags():
    return tags_of(report_html(bf.compare(PAIR, metrics="f1"), command="x"))


@pytest.mark.parametrize("name", NAMES[::9], ids=range(len(NAMES[::9])))
def test_no_page_and_no_figure_obeys_a_name(name, plain_tags):
    res = bf.compare(model(name), metrics="f1", rng=1, n_draws=200)
    assert tags_of(report_html(res, command=name)) == plain_tags
    svg = render(bf.plot_difference(res), "svg")
    assert not [
        e for e in ElementTree.fromstring(svg).iter() if e.tag.rpartition("}")[2] in ("script", "image", "a")
    ]


@pytest.mark.parametrize("name", [name for name in NAMES if "/" not in name and len(name) < 100][::9])
def test_no_message_on_the_command_line_obeys_a_name(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.csv").write_text("label,a,b\n" + "y,y,n\nn,n,n\n" * 10)
    # A file that others made may hold what no function would have saved.
    unit("UNIT").save("saved.json")
    saved = (tmp_path / "saved.json").read_text()
    (tmp_path / "saved.json").write_text(saved.replace("UNIT", json.dumps(name)[1:-1]))
    with (tmp_path / "tasks.csv").open("w", newline="") as file:
        rows = [("model", "task", "tp", "fp", "fn"), ("A", name, 7, 4, 3), ("B", "t", 8, 3, 2)]
        csv.writer(file).writerows(rows)
    asked = ["compare", "p.csv", "--gold", "label", "--positive", "y", "--metrics", "f1"]
    for more in ([f"--unit={name}"], [f"--models={name}", "b"], [f"--id={name}"], [f"--metric={name}"]):
        assert main([*asked, *more]) in (0, 2)
    for command in (["compare", "saved.json"], ["compare", "tasks.csv"], ["compare", f"./{name}.csv"]):
        assert main(command) in (0, 2)
    plain("".join(capsys.readouterr()))
