"""``compare --fail-unless``: exit codes, and what a build is told; all pairs of models, and regions."""

import pytest

import bayesf1 as bf
from bayesf1.cli.main import main

COUNTS = "model,tp,fp,fn,tn\ncrf,77,44,10,702\nbert,80,30,7,716\n"
EV = bf.from_counts(crf=(77, 44, 10, 702), bert=(80, 30, 7, 716))


@pytest.fixture
def compare(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.csv").write_text(COUNTS)
    (tmp_path / "three.csv").write_text(COUNTS + "gru,78,35,9,711\n")

    def run(*argv, file="two.csv"):
        code = main(["compare", file, *argv])
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.mark.parametrize("prob", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("rope", [0.001, 0.05, 0.2])
@pytest.mark.parametrize("models", [("crf", "bert"), ("bert", "crf")])
def test_a_claim_takes_the_probability_from_which_on_the_verdict_makes_it(compare, prob, rope, models):
    c = bf.compare(EV, *models, rope=rope, prob=prob)["f1"]
    half = 0.5 + prob / 2
    held = {"better": c.p_h1 >= half, "not-worse": c.p_not_worse >= half, "equivalent": c.p_rope >= prob}
    for claim, holds in held.items():
        code, _, err = compare(
            *("--models", *models, "--rope", str(rope), "--prob", str(prob), "--fail-unless", claim)
        )
        assert (code, err == "") == (int(not holds), holds)
    if c.verdict == f"{models[1]} better":
        assert held["better"]
    if c.verdict.startswith("equivalent"):
        assert held["equivalent"]


def test_a_sentence_names_the_metric_and_its_probability_and_the_table_stays_as_it_was(compare):
    code, out, err = compare("--fail-unless", "better")
    assert (code, out) == (1, compare()[1])
    (line,) = err.splitlines()
    assert line.startswith("bayesf1: --fail-unless better: ")
    assert f"P(bert better than crf in F1) = {bf.compare(EV)['f1'].p_h1:.3f}".replace("0.", ".") in line
    assert line.endswith("below 0.975.")


def test_every_metric_that_was_asked_for_must_hold(compare):
    assert bf.compare(EV, metrics=["precision", "recall"], prob=0.8)["recall"].p_h1 < 0.9
    assert compare("--fail-unless", "better", "--prob", "0.8")[0] == 0
    assert compare("--fail-unless", "better", "--prob", "0.8", "--metrics", "precision,f1")[0] == 0
    code, _, err = compare("--fail-unless", "better", "--prob", "0.8", "--metrics", "precision,recall")
    assert (code, err.count("\n")) == (1, 1)
    assert "in recall)" in err


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("not-worse",), "needs the margin; give it with --rope"),
        (("equivalent", "--rope", "0"), "needs the margin; give it with --rope"),
        (("nonsense",), "choose from"),
        (("not worse", "--rope", "0.01"), "choose from"),
    ],
)
def test_what_cannot_be_asked_is_refused(compare, argv, words):
    code, out, err = compare("--fail-unless", *argv)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert words in err


def test_class_by_class_every_class_must_hold(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [f"{gold},{gold if i % 5 else 'b'},{gold if i % 7 else 'c'}" for i, gold in enumerate("abc" * 60)]
    (tmp_path / "p.csv").write_text("\n".join(["label,old,new", *rows]) + "\n")
    asked = ["compare", "p.csv", "--gold", "label", "--per-class", "--rng", "1", "--fail-unless"]
    assert main([*asked, "not-worse", "--rope", "0.5"]) == 0
    assert capsys.readouterr().err == ""
    assert main([*asked, "equivalent", "--rope", "0.0001"]) == 1
    assert [
        f"in F1[{name}])" in line
        for name, line in zip("abc", capsys.readouterr().err.splitlines(), strict=True)
    ]


def test_several_pairs_are_said_to_be_judged_each_by_itself(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "three.csv").write_text(COUNTS + "gru,78,35,9,711\n")
    # What is read as a whole says it once, what is taken apart each time.
    for form, times in {"table": 1, "markdown": 1, "json": 3, "latex": 3}.items():
        assert main(["compare", "three.csv", "--format", form]) == 0
        assert capsys.readouterr().out.count("Each of 3 pairs is judged on its own") in (times, 2 * times)
    assert main(["compare", "three.csv", "--models", "crf", "gru"]) == 0
    assert "judged on its own" not in capsys.readouterr().out


def test_a_region_that_begins_with_a_minus_is_no_option(compare):
    for argv in (["--rope", "-0.005,0.01"], ["--rope=-0.005,0.01"]):
        code, out, err = compare(*argv)
        assert (code, err) == (0, "")
        assert "P(not worse)" in out
    assert "rope as a pair" in compare("--rope", "0.01,0.02")[2]
    assert "'x' is not a number" in compare("--rope", "-0.01,x")[2]
