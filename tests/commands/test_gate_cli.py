"""The gate on the command line: exit codes, and what a build is told."""

import json
from xml.etree import ElementTree

import numpy as np
import pytest

from bayesf1.commands.main import main

COUNTS = "model,tp,fp,fn,tn\ncrf,77,44,10,702\nbert,80,30,7,716\n"
PASSES, FAILS = "f1: bert not worse by 0.02", "f1: P(bert better) >= 0.95"


@pytest.fixture
def compare(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.csv").write_text(COUNTS)

    def run(*argv):
        code = main(["compare", "two.csv", *argv])
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.mark.parametrize(
    ("conditions", "code"), [([PASSES], 0), ([FAILS], 1), ([PASSES, FAILS], 1), (["f1 bert better"], 2)]
)
def test_the_exit_code_says_whether_it_passed(compare, conditions, code):
    options = [part for condition in conditions for part in ("--fail-unless", condition)]
    assert compare(*options)[0] == code


def test_a_line_says_why_and_the_table_stays_as_it_was(compare):
    plain = compare()[1]
    code, out, err = compare("--fail-unless", PASSES, "--fail-unless", FAILS)
    assert (code, out) == (1, plain)
    passed, failed = err.splitlines()
    assert passed.startswith(
        f"bayesf1: passed: {PASSES}: P(bert not worse than crf by more than 2 percentage points in F1)"
    )
    assert failed == f"bayesf1: failed: {FAILS}: P(bert better than crf in F1) = 0.938, not >= 0.95."


def test_in_quiet_the_lines_of_the_gate_are_all_that_is_printed(compare):
    code, out, err = compare("--fail-unless", PASSES, "--fail-unless", FAILS, "--quiet")
    assert (code, out) == (1, "")
    passed, failed = err.splitlines()
    assert passed.startswith("bayesf1: passed: ")
    assert failed.startswith("bayesf1: failed: ")


def test_in_quiet_what_was_asked_for_by_format_or_without_a_gate_is_printed(compare):
    assert compare("--quiet")[1] == compare()[1]
    assert "F1" in compare("--quiet", "--fail-unless", PASSES, "--format", "table")[1]


def test_json_has_the_gate_beside_the_comparisons(compare):
    code, out, _ = compare("--fail-unless", PASSES, "--fail-unless", FAILS, "--format", "json")
    document = json.loads(out)
    assert (code, document["gate"]["passed"]) == (1, False)
    assert document["pairs"] == json.loads(compare("--format", "json")[1])["pairs"]
    held, failed = document["gate"]["conditions"]
    assert (held["condition"], held["passed"]) == (PASSES, True)
    assert (failed["condition"], failed["passed"]) == (FAILS, False)
    claim = document["gate"]["claims"][1]
    assert claim["p"] == pytest.approx(0.938, abs=5e-4)
    assert (claim["level"], claim["passed"]) == (0.95, False)
    assert claim["why"] == failed["why"] == "P(bert better than crf in F1) = 0.938, not >= 0.95."
    assert "gate" not in json.loads(compare("--format", "json")[1])


@pytest.fixture
def three(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "three.csv").write_text(COUNTS + "gru,78,35,9,711\n")

    def run(condition):
        code = main(["compare", "three.csv", "--quiet", "--fail-unless", condition])
        return code, capsys.readouterr().err

    return run


def test_what_a_and_b_stand_for_is_said_where_there_are_several_pairs(three):
    code, err = three("f1: P(B better) >= 0.01")
    assert (code, err.count("as >= 0.01 needed")) == (0, 3)
    assert "B is the second of each of 3 pairs; name models to ask of fewer." in err
    assert " of each of " not in three("f1: P(bert better than crf) >= 0.01")[1]
    assert " of each of " not in three("f1: P(bert better) >= 0.01")[1]


def test_a_letter_beside_a_name_is_the_other_of_the_pair(three):
    code, err = three("f1: P(B better than crf) >= 0.01")
    assert code == 0
    assert "P(bert better than crf" in err
    assert "P(gru better than crf" in err
    # It was taken for bert in the pair of crf and bert, and refused.
    code, err = three("f1: P(B better than bert) >= 0.01")
    assert code == 0
    assert "P(gru better than bert" in err
    assert "crf" not in err.partition(": P(gru")[2]
    code, err = three("f1: A better than crf")
    assert code == 2
    assert err.startswith("bayesf1: in no pair is A another model than crf; A is the first of a pair")


def test_a_caret_points_to_what_is_wrong_and_nothing_is_computed(compare):
    code, out, err = compare("--fail-unless", "f1: bert bettr")
    assert (code, out) == (2, "")
    assert err == 'bayesf1: expected "better" or "not worse", not "bettr"\n  f1: bert bettr\n           ^\n'


def test_junit_has_a_case_for_each_condition(compare, tmp_path):
    code, out, err = compare(
        *("--fail-unless", PASSES, "--fail-unless", FAILS, "--format", "junit", "--output", "gate.xml")
    )
    assert (code, out) == (1, "")
    assert "failed: " in err
    (suite,) = ElementTree.parse(tmp_path / "gate.xml").getroot()
    assert suite.attrib["failures"] == "1"
    first, second = suite
    assert (first.attrib["name"], first.find("failure")) == (PASSES, None)
    assert second.find("failure").attrib["message"].endswith("= 0.938, not >= 0.95.")


def test_the_ending_of_a_file_says_that_it_is_junit(compare, tmp_path):
    assert compare("--fail-unless", PASSES, "--output", "gate.xml")[0] == 0
    assert ElementTree.parse(tmp_path / "gate.xml").getroot().tag == "testsuites"


def test_github_gets_annotations(compare):
    code, out, err = compare("--fail-unless", PASSES, "--fail-unless", FAILS, "--format", "github")
    notice, error = out.splitlines()
    assert (code, err) == (1, "")
    assert notice.startswith("::notice title=f1%3A bert not worse by 0.02::P(bert not worse")
    assert error == (
        "::error title=f1%3A P(bert better) >= 0.95::P(bert better than crf in F1) = 0.938, not >= 0.95."
    )


def test_what_a_condition_is_on_is_compared_whether_or_not_it_was_asked_for(compare):
    assert "Jaccard" not in compare()[1]
    code, out, err = compare("--fail-unless", "jaccard: P(bert better) > 0.5")
    assert code == 0
    assert "Jaccard" in out
    assert "bert better than crf in Jaccard" in err
    code, _, err = compare("--fail-unless", "f9x: bert better")
    assert code == 2
    assert err.startswith("bayesf1: unknown metric 'f9x'; ")
    assert "jaccard" in err
    assert err.endswith("\n  f9x: bert better\n  ^\n")


def test_classes_are_compared_where_a_condition_is_on_them(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [f"{gold},{gold if i % 5 else 'b'},{gold if i % 7 else 'c'}" for i, gold in enumerate("abc" * 60)]
    (tmp_path / "p.csv").write_text("\n".join(["label,old,new", *rows]) + "\n")
    conditions = (
        "f1[*]: new not worse by 0.5",
        "f1: new not worse by 0.5",
        "f1[a]: P(new better) < 0.999999",
    )
    options = [part for condition in conditions for part in ("--fail-unless", condition)]
    assert main(["compare", "p.csv", "--gold", "label", *options, "--format", "github"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert len(told) == 3 + 1 + 1
    assert [line.rpartition(" in ")[2].partition(")")[0] for line in told[:3]] == ["F1[a]", "F1[b]", "F1[c]"]


def test_several_pairs_are_said_to_be_judged_each_by_itself(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "three.csv").write_text(COUNTS + "gru,78,35,9,711\n")
    for form in ("table", "json", "latex", "markdown"):
        assert main(["compare", "three.csv", "--format", form]) == 0
        assert capsys.readouterr().out.count("One of 3 pairs, each judged by itself") >= 3
    assert main(["compare", "three.csv", "--models", "crf", "gru"]) == 0
    assert "One of" not in capsys.readouterr().out


def test_a_region_that_begins_with_a_minus_is_no_option(compare):
    for argv in (["--rope", "-0.005,0.01"], ["--rope=-0.005,0.01"]):
        code, out, err = compare(*argv)
        assert (code, err) == (0, "")
        assert "P(not worse)" in out
    assert "rope as a pair" in compare("--rope", "0.01,0.02")[2]
    assert "'x' is not a number" in compare("--rope", "-0.01,x")[2]


@pytest.fixture
def two_measures(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pytest.importorskip("ir_measures")
    topics = range(12)
    (tmp_path / "qrels.txt").write_text(
        "".join(f"q{t} 0 d{d} {int(d == 0)}\n" for t in topics for d in range(4))
    )
    for name, place in (("a", 3), ("b", 1)):
        lines = [
            f"q{t} Q0 d{d} {rank} {9 - rank} run\n"
            for t in topics
            for rank, d in enumerate(np.roll([0, 1, 2, 3], (place + t) % 4 if t % 3 else place))
        ]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    return ["compare", "a=a.run", "b=b.run", "--qrels", "qrels.txt", "--measure", "nDCG@10,RR"]


def test_a_condition_may_name_what_was_measured(two_measures, capsys):
    assert main([*two_measures, "--fail-unless", "nDCG@10: P(b better) > 0.001"]) == 0
    err = capsys.readouterr().err
    assert err.count("passed") == 1
    assert "in Mean nDCG@10)" in err


def test_junit_tells_the_same_claim_in_several_measures_apart(two_measures, capsys):
    main([*two_measures, "--fail-unless", "mean: P(b better) > 0.001", "--format", "junit"])
    (suite,) = ElementTree.fromstring(capsys.readouterr().out)
    assert [case.attrib["classname"] for case in suite] == ["a → b, nDCG@10", "a → b, RR"]
    assert suite.attrib["name"] == "1 of 1 conditions hold (2 claims)"
