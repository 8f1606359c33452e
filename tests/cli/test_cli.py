"""The command line, as a newcomer would use it and as a script would."""

import csv
import html
import io
import json
import re
import sys
from argparse import SUPPRESS
from pathlib import Path

import pytest

import bayesf1 as bf
from bayesf1 import compare
from bayesf1.cli.commands import COMMANDS
from bayesf1.cli.main import main
from bayesf1.cli.options import new_parser
from bayesf1.io.roles import ROLES
from builders import on_terminal

COUNTS = "model,tp,fp,fn,tn\ncrf,77,44,10,702\nbert,80,30,7,716\n"
THREE = COUNTS + "llm,82,29,5,717\n"
TWO = bf.from_counts(crf=(77, 44, 10, 702), bert=(80, 30, 7, 716))


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.csv").write_text(COUNTS)
    (tmp_path / "three.csv").write_text(THREE)
    (tmp_path / "folds.csv").write_text(
        "task,model,repeat,fold,gold,predicted,correct\n"
        + "".join(
            f"{t},{m},{r},{f},90,95,8{i}\n"
            for t in "xy"
            for i, m in enumerate("AB")
            for r in (1, 2)
            for f in (1, 2)
        )
    )
    return tmp_path


@pytest.fixture
def run(here, capsys):
    def run_main(*argv):
        code = main(list(argv))
        out, err = capsys.readouterr()
        assert err == ""
        assert code == 0
        return out

    return run_main


def test_a_pipe_gets_the_plain_text_of_the_comparison(run):
    assert run("compare", "two.csv") == f"{compare(TWO)}\n"


def test_options_reach_the_test(run):
    asked = "compare two.csv --metrics f0.5,jaccard --rope 0.02 --prior .5 --prob 0.9"
    out = run(*asked.split())
    assert out == f"{compare(TWO, metrics=['f0.5', 'jaccard'], rope=0.02, prior=0.5, prob=0.9)}\n"


def test_all_pairs_of_several_models_are_compared(run):
    out = run("compare", "three.csv", "--metrics", "f1")
    titles = re.findall(r"^(\w+) against (\w+) on totals, with", out, flags=re.MULTILINE)
    assert titles == [("bert", "crf"), ("llm", "crf"), ("llm", "bert")]


def test_folds_are_read_with_task_and_cv(run):
    out = run("compare", "folds.csv", "--task", "y", "--cv", "blocked-2x2", "--verbose")
    assert "k = 0.5053 (rule wang-li)" in out
    assert "|cv:2x2,wang-li,0.5053|" in out


def test_a_warning_is_one_line_beside_the_result(here, capsys):
    (here / "zero.csv").write_text("model,tp,fp,fn\na,0,0,0\nb,1,2,3\n")
    assert main(["compare", "zero.csv"]) == 0
    out, err = capsys.readouterr()
    assert err == "bayesf1: warning: all counts of a are 0, so its posterior is the prior\n"
    assert out.startswith("b against a")


@pytest.mark.parametrize("name", ["table", "json", "csv", "markdown", "latex"])
def test_every_format_names_every_model(here, run, name):
    argv = ("rank", "three.csv", "--rng", "3", "--format", name)
    printed = run(*argv)
    assert all(model in printed for model in ("llm", "bert", "crf"))
    assert run(*argv, "--output", "out.txt") == ""
    assert (here / "out.txt").read_text(encoding="utf-8").rstrip() == printed.rstrip()
    if name == "json":
        assert json.loads(printed)["format"].startswith("bayesf1.rank")


def test_all_models_get_the_intervals_of_the_library(run):
    expected = (bf.intervals(TWO, model, rng=1, n_resamples=500) for model in ("crf", "bert"))
    quoted = run("interval", "two.csv", "--rng", "1", "--resamples", "500")
    # What is below both tables is said once.
    assert [str(found.table) in quoted for found in expected] == [True, True]
    assert quoted.count("bootstrap of 500 resamples") == 1


PREDICTIONS = "label,crf,bert\n" + "".join(
    f"{'yn'[i % 3 > 0]},{'yn'[i % 3 > 0 or i % 7 == 0]},{'yn'[i % 3 > 0 or i % 11 == 0]}\n"
    for i in range(300)
)
GOLD = ("--gold", "label", "--positive", "y")


@pytest.fixture
def predictions(here):
    (here / "predictions.csv").write_text(PREDICTIONS)
    return here


def test_every_measure_gets_its_exact_p_value(predictions, run):
    ev = bf.read("predictions.csv", gold="label", positive="y")
    rows = list(
        csv.DictReader(
            io.StringIO(run("test", "predictions.csv", *GOLD, "--metrics", "f1,accuracy", "--format", "csv"))
        )
    )
    assert [row["metric"] for row in rows] == ["f1", "accuracy"]
    for row in rows:
        assert float(row["p_value"]) == bf.randomization_test(ev, metric=row["metric"]).p_value
        assert row["exact"] == "True"


def test_what_is_undefined_is_left_out_with_a_line(here, capsys):
    (here / "never.csv").write_text("label,a,b\n" + "y,n,y\nn,n,n\nn,n,y\n" * 5)
    assert main(["test", "never.csv", *GOLD, "--metrics", "precision,recall", "--format", "csv"]) == 0
    out, err = capsys.readouterr()
    assert [row["metric"] for row in csv.DictReader(io.StringIO(out))] == ["recall"]
    assert "left out: the precision of 'a' is undefined" in err
    assert main(["interval", "never.csv", *GOLD, "--metric", "precision"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("Precision of b on 15 items: 50.0 %")
    assert "left out: the precision of 'a' is undefined" in err
    assert main(["test", "never.csv", *GOLD, "--metrics", "precision"]) == 2


def test_jiangs_study_is_planned_without_a_file(run):
    out = run("plan", "--half-width", "0.02", "--metric", "f0.5", "--prevalence", "0.615")
    assert "16,005 items with 9,843 positive ones" in out


def test_a_decision_is_planned_from_suppositions_or_from_a_pilot(predictions, run):
    supposed = ("--prevalence", "0.2", "--f1", "0.8", "--agreement", "0.9")
    argv = ("plan", "--difference", "0.05", "--assurance", "0.7", "--rng", "1", "--format", "json")
    pilot = bf.assumed_pilot(prevalence=0.2, f1=0.8, agreement=0.9)
    expected = bf.plan_comparison(pilot, difference=0.05, assurance=0.7, rng=1).to_dict()
    found = json.loads(run(*argv, *supposed))
    assert found.pop("signature").startswith("bayesf1|")
    assert found == {"format": "bayesf1.plan/1", **expected}
    found = json.loads(run("plan", "predictions.csv", *GOLD, *argv[1:]))
    assert found["question"] == "size"
    assert found["unit"] == "item"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["plan"], "say what to plan for: --half-width X for an interval, --difference X for a decision"),
        (["plan", "--half-width", ".1", "--difference", ".1"], "give one of them"),
        (["plan", "--half-width", ".1", "--agreement", ".9"], "--agreement does not apply to an interval"),
        (["plan", "two.csv", "--half-width", ".1"], "several models (crf, bert); choose one with --only"),
        (["plan", "two.csv"], "two.csv holds totals only, but a plan for a decision takes"),
        (["plan", "--difference", ".1"], "takes --prevalence, --agreement, --f1 (or --precision and"),
        (["plan", "predictions.csv", *GOLD, "--f1", ".3"], "--f1 does not apply to a plan from a FILE"),
        (["test", "two.csv"], "two.csv holds totals only, but a randomisation test takes"),
        (["test", "predictions.csv", *GOLD, "--alternative", "les"], "did you mean 'less'?"),
        (["interval", "two.csv", "--only", "crf", "--difference", "crf", "bert"], "give one"),
    ],
)
def test_errors_say_what_belongs(predictions, capsys, argv, message):
    assert main(argv) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("bayesf1: ")
    assert err.count("\n") == 1
    assert message in err


@pytest.mark.parametrize("file", ["two.csv", "three.csv"])
def test_json_always_is_a_list_of_pairs(run, file):
    def refuse(constant):
        raise AssertionError(constant)

    document = json.loads(run("compare", file, "--format", "json", "--metrics", "f1"), parse_constant=refuse)
    assert document.keys() == {"format", "pairs"}
    assert document["format"] == "bayesf1.pairs/1"
    assert len(document["pairs"]) == (1 if file == "two.csv" else 3)
    alone = compare(TWO, metrics="f1").to_dict()
    if file == "three.csv":
        assert document["pairs"][0]["notes"].pop().startswith("Each of 3 pairs")
    assert document["pairs"][0] == alone


def test_csv_has_one_header_and_full_numbers(run):
    rows = list(csv.DictReader(io.StringIO(run("compare", "three.csv", "--format", "csv"))))
    assert [r["metric"] for r in rows] == ["precision", "recall", "f1"] * 3
    assert float(rows[2]["p_h1"]) == compare(TWO)["f1"].p_h1


def test_it_tells_of_the_experiments_of_wang_and_li(run):
    out = run("demo")
    assert str(compare(bf.load_example("wang-li-ner"))) in out
    assert "bayesf1 compare folds.csv" in out


def test_the_version_is_that_of_the_package(run):
    assert run("--version").split() == ["bayesf1", bf.__version__]


@pytest.mark.parametrize("command", ["compare", "rank", "interval", "test", "plan", "demo"])
def test_the_help_of_a_command_ends_with_an_example(run, command):
    _, examples = run(command, "--help").split("\nExamples:\n")
    assert all(line.startswith(f"    bayesf1 {command}") for line in examples.rstrip().splitlines())


@pytest.mark.parametrize("command", ["compare", "interval", "test", "plan"])
def test_every_option_is_explained(run, command, monkeypatch):
    # No line is broken: what an option's help says counts, not where argparse puts it.
    monkeypatch.setenv("COLUMNS", "10000")
    explained = run(command, "--help")
    _, parsers = new_parser(bf.__version__, COMMANDS)
    options = [
        action for action in parsers[command]._actions if action.option_strings and action.help != SUPPRESS
    ]
    assert 14 <= len(options) - 1 <= (40 if command == "compare" else 46)
    for option in options:
        explanation = option.help.replace("%(choices)s", ", ".join(option.choices or ()))
        assert re.match(r"[a-z]", explanation), option.option_strings
        assert f" {explanation}\n" in explained, option.option_strings
        assert all(name in re.findall(r"--?[\w-]+", explained) for name in option.option_strings)


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "demo"])
def test_the_help_begins_with_one_line_of_usage_and_then_the_purpose(run, command):
    usage, blank, purpose, *_ = run(command, "--help").splitlines()
    assert re.fullmatch(rf"usage: bayesf1 {command} \[options\] \[?FILE.*", usage)
    assert blank == ""
    assert re.fullmatch(r"[A-Z].*\w", purpose.rstrip("."))


def test_the_help_of_compare_first_asks_what_a_row_stands_for_and_has_an_option_for_every_role(run):
    groups = run("compare", "--help").split("\n\n")
    titles = [group.splitlines()[0] for group in groups]
    (at,) = [
        i for i, title in enumerate(titles) if title.startswith("what does a row of your table stand for?")
    ]
    assert titles[at - 1] == "input:"
    assert {f"--{role}" for role in ROLES} <= {*re.findall(r"--[a-z]+", groups[at])}


class Broken:
    """A standard input that fails as soon as it is asked for anything."""

    def __init__(self, error):
        self.error = error

    def __getattr__(self, name):
        raise self.error


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [(KeyboardInterrupt(), 130, "interrupted"), (MemoryError(), 2, "not enough memory")],
)
def test_an_interruption_and_too_little_memory_are_one_line(error, code, words, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", Broken(error))
    assert main(["compare", "-"]) == code
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert words in err


def test_a_mistake_in_the_program_is_not_hidden(monkeypatch):
    monkeypatch.setattr("sys.stdin", Broken(ZeroDivisionError()))
    with pytest.raises(ZeroDivisionError):
        main(["compare", "-"])


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_terminal_gets_the_same_words_in_colour(here):
    quoted = on_terminal("compare", "two.csv", "--rope", "0.01", width=110)
    assert "\x1b[" in quoted
    words = re.sub(r"\x1b\[[0-9;]*m|─", "", quoted).split()
    assert words == str(compare(TWO, rope=0.01)).replace("─", "").split()


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.long
def test_the_story_of_the_demo_fits_a_narrow_terminal():
    quoted = re.sub(r"\x1b\[[0-9;]*m", "", on_terminal("demo", width=78))
    # A signature is one word, to be copied whole.
    assert max(len(line) for line in quoted.splitlines() if not line.startswith("bayesf1|")) <= 78
    assert "Was the winner really the best?" in " ".join(quoted.split())


@pytest.fixture
def three_classes(tmp_path):
    rows = ["gold,a,b"]
    for gold, a, b in zip("xyzxyzxx" * 20, "xyyxyzxz" * 20, "xyzxyzxy" * 20, strict=True):
        rows.append(f"{gold},{a},{b}")
    path = tmp_path / "classes.csv"
    path.write_text("\n".join(rows))
    return str(path)


@pytest.mark.parametrize(("ending", "start"), [("tex", "% b against a"), ("json", "{"), ("txt", "b against")])
def test_the_ending_of_an_output_file_is_its_format(three_classes, tmp_path, ending, start):
    path = tmp_path / f"out.{ending}"
    assert main(["compare", three_classes, "--gold", "gold", "--rng", "1", "--output", str(path)]) == 0
    assert path.read_text(encoding="utf-8").startswith(start)


@pytest.mark.parametrize("command", ["compare", "rank"])
def test_a_figure_is_drawn(three_classes, tmp_path, command):
    path = tmp_path / "figure.svg"
    assert main([command, three_classes, "--gold", "gold", "--plot", str(path)]) == 0
    assert "<svg" in path.read_text(encoding="utf-8")


def test_a_figure_never_overwrites_what_was_read(three_classes, tmp_path, capsys):
    path = tmp_path / "data.svg"
    path.write_bytes(Path(three_classes).read_bytes())
    assert main(["rank", str(path), "--gold", "gold", "--plot", str(path)]) == 2
    assert "is an input file" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["x.docx", "x.xlsx", "x.html", "x.PDF"])
def test_an_ending_without_a_format_is_refused_before_anything_is_read(name, tmp_path, capsys):
    path = tmp_path / name
    assert main(["compare", "there-is-no-such.csv", "--output", str(path)]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert f"no format has the ending .{name[2:]}; end it with .txt, .json, .csv, .md or .tex" in err
    assert err.endswith("or name a format with --format\n")
    assert not path.exists()


def test_a_report_says_which_files_options_and_rng_make_it_again(here, run):
    run("compare", "two.csv", "--rope", "0.01", "--report", "report.html")
    page = html.unescape((here / "report.html").read_text(encoding="utf-8"))
    assert "bayesf1 compare two.csv --rope 0.01 --report report.html --rng 0</code>" in page
    assert compare(TWO, rope=0.01).signature() in page


def test_an_option_by_either_of_its_names_is_given_once(capsys):
    assert main(["compare", "x.csv", "--metric", "f1", "--metrics", "recall"]) == 2
    assert "twice" in capsys.readouterr().err
