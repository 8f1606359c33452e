"""``bayesf1 hierarchical`` and ``bayesf1 show``."""

import html
import json
import re

import pytest

from bayesf1.cli import main as cli


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    for name, b in (("a", "83,9,4"), ("b", "75,15,7"), ("c", "8,1,1")):
        (tmp_path / f"{name}.csv").write_text(f"model,tp,fp,fn\ncrf,70,40,12\nbert,{b}\n")

    def call(*argv):
        code = cli.main(list(argv))
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_corpora_in_several_files_are_fitted_saved_and_shown_again(run, tmp_path):
    code, out, err = run("hierarchical", "a.csv", "b.csv", "web=c.csv", "--rng", "1", "--save", "fit.nc")
    assert (code, err) == (0, "")
    assert re.search(r"^web +F1", out, flags=re.MULTILINE)
    assert "On a new corpus: bert outperforms crf" in out
    assert run("show", "fit.nc") == (0, out, "")
    code, out, _ = run("show", "fit.nc", "--models", "bert", "crf", "--format", "json")
    assert json.loads(out)["model_a"] == "bert"


@pytest.mark.long
def test_tasks_of_one_file_are_corpora_and_folds_of_one_task_are_groups(run, tmp_path):
    lines = ["task,model,repeat,fold,gold,predicted,correct"]
    for task in ("news", "mail"):
        for model, right in (("crf", 60), ("bert", 66)):
            for repeat in (1, 2, 3):
                lines += [f"{task},{model},{repeat},{fold},100,90,{right + repeat + fold}" for fold in (1, 2)]
    (tmp_path / "tasks.csv").write_text("\n".join(lines))
    code, out, _ = run("hierarchical", "tasks.csv", "--cv", "blocked-3x2", "--rng", "1")
    assert code == 0
    assert "on 2 corpora" in out
    assert re.search(r"^mail +F1", out, flags=re.MULTILINE)
    one = "hierarchical tasks.csv --cv blocked-3x2 --task news --rng 1 --format csv"
    code, out, _ = run(*one.split())
    assert code == 0
    assert '"repeat 3, fold 2",f1' in out


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("hierarchical", "a.csv"), "a.csv is one corpus without folds"),
        (("hierarchical", "a.csv", "a.csv"), "corpus 'a' is given twice"),
        (("hierarchical", "a.csv", "b.csv", "--save", "no/fit.nc"), "cannot write to no/fit.nc"),
        (("show", "a.csv"), "not a netCDF file of draws"),
        (("hierarchical", "a.csv", "b.csv", "--report", "fit.pdf"), "fit.pdf should end with .html"),
    ],
)
def test_bad_input_gets_one_line_and_exit_code_2(run, argv, message):
    code, out, err = run(*argv)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_a_page_says_how_to_make_it_again(run, tmp_path):
    code, _, err = run("hierarchical", "a.csv", "web=c.csv", "--report", "fit.html")
    assert (code, err) == (0, "")
    page = html.unescape((tmp_path / "fit.html").read_text(encoding="utf-8"))
    assert "bayesf1 hierarchical a.csv web=c.csv --report fit.html --rng 0</code>" in page
