"""What an error advises is what helps, in the words of who asked."""

import pandas as pd
import pytest

import bayesf1 as bf
from bayesf1.cli.main import main
from file_samples import conllu, lines, run_lines

SPANS = {"gold": ("PER", "LOC"), "crf": ("PER", "ORG"), "bert": ("PER", "LOC")}


@pytest.fixture
def refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def said(line):
        assert main(line.split()) == 2
        out, err = capsys.readouterr()
        assert not out
        assert err.count("\n") == 1
        return err

    return said


@pytest.fixture
def brat(tmp_path):
    for name, (first, second) in SPANS.items():
        (tmp_path / "brat" / name).mkdir(parents=True)
        for document in ("one.ann", "two.ann"):
            (tmp_path / "brat" / name / document).write_bytes(
                lines(f"T1\t{first} 0 3\tAda", f"T2\t{second} 7 11\tRome")
            )
    return tmp_path / "brat"


def test_gold_of_annotations_and_tags_is_a_file(tmp_path, brat, refused):
    for name in SPANS:
        (tmp_path / f"{name}.conll").write_bytes(lines("In O", "Rome B-LOC"))
        (tmp_path / f"{name}.conllu").write_bytes(conllu("A/DET dog/NOUN"))
    for place in (brat / "{}", tmp_path / "{}.conll", tmp_path / "{}.conllu"):
        gold, crf = (str(place).format(name) for name in ("gold", "crf"))
        with pytest.raises(ValueError, match=r"^gold= names a column, .*gold_file="):
            bf.read({"crf": crf}, gold=gold)
        assert "as the first, without a name" in refused(f"compare crf={crf} --gold {gold}")


def test_the_models_of_frames_are_the_columns_of_files(tmp_path):
    (tmp_path / "a.csv").write_text("label,a,b\ny,y,n\nn,n,n\n")
    with pytest.raises(ValueError, match="unknown option 'models'; did you mean 'columns'"):
        bf.read(tmp_path / "a.csv", gold="label", models=["a", "b"])
    assert bf.read(tmp_path / "a.csv", gold="label", positive="y", columns=["a"]).names == ("a",)


def test_documents_are_the_units_of_annotations(brat, refused):
    files = {name: brat / name for name in ("crf", "bert")}
    assert bf.read(files, gold_file=brat / "gold").unit == "document"
    said = refused("compare brat/gold crf=brat/crf bert=brat/bert --unit sentence")
    assert "unit= does not apply to brat's stand-off annotation" in said


def test_judgements_before_runs_are_given_by_their_option(tmp_path, refused):
    (tmp_path / "qrels.txt").write_bytes(lines("1 0 déa 1", "1 0 déb 0"))
    (tmp_path / "a.run").write_bytes(run_lines("a", {"1": "ab"}))
    said = refused("compare qrels.txt a=a.run b=a.run --measure RR")
    assert "qrels.txt holds relevance judgements; give it by qrels=" in said
    with pytest.raises(ValueError, match=r"holds relevance judgements.* by qrels="):
        bf.read({"a": "a.run"}, gold_file="qrels.txt", measure="RR")


def test_a_single_column_is_no_table(tmp_path, refused):
    (tmp_path / "wer.csv").write_text("wer\n0.1\n0.3\n")
    said = refused("compare wer.csv --scores wer")
    assert "begins with 'wer', of no format" in said
    assert "at least two columns, separated by commas, semicolons or tabs" in said


def test_three_models_to_label_for_may_be_two_and_a_judge(tmp_path, refused, capsys):
    (tmp_path / "a.csv").write_text(
        "label,a,b,gpt\n" + "y,y,n,y\nn,n,n,n\ny,y,y,y\nn,y,n,n\n,n,y,n\n,y,y,y\n" * 5
    )
    said = refused("label a.csv --gold label --positive y")
    assert (
        "a.csv has 3 models (a, b, gpt); choose two by --models A B or one by --model A, or say by --judge"
        in said
    )
    for remedy in ("--models a b", "--model a", "--judge gpt"):
        assert main(f"label a.csv --gold label --positive y --budget 2 {remedy}".split()) == 0, remedy
    capsys.readouterr()


def test_one_model_is_named_with_its_own_files_and_has_an_interval(brat, refused, capsys):
    said = refused("compare brat/gold crf=brat/crf")
    assert "brat/crf has one model (crf); comparing takes two, and bayesf1 interval" in said
    assert "at least two models, and 'crf' is the only one" in refused("rank brat/gold crf=brat/crf")
    assert main(["interval", "brat/gold", "crf=brat/crf"]) == 0
    assert "crf" in capsys.readouterr().out


@pytest.mark.parametrize("read", [bf.read, bf.load])
def test_a_file_that_is_not_there_is_named_with_one_like_it(read, tmp_path):
    (tmp_path / "one.json").write_text("{}")
    with pytest.raises(
        FileNotFoundError, match=r"^there is no file .*one2\.json; did you mean .*one\.json\?$"
    ):
        read(tmp_path / "one2.json")
    with pytest.raises(FileNotFoundError, match=r"^there is no file .*x.one\.json$"):
        read(tmp_path / "x" / "one.json")


@pytest.mark.parametrize("container", ["csv", "jsonl", "parquet"])
def test_gaps_of_gold_may_be_made_up_for_by_a_judge(container, tmp_path, refused, capsys):
    rows = [
        {"label": g, "a": a, "gpt": g or "y"} for g, a in zip([*"yynnynn", None], "ynnnyyny", strict=True)
    ]
    frame = pd.DataFrame(rows * 5)
    {"csv": frame.to_csv, "parquet": frame.to_parquet}.get(
        container, lambda path, **_: frame.to_json(path, orient="records", lines=True)
    )(tmp_path / f"gaps.{container}", index=False)
    asked = f"interval gaps.{container} --gold label --columns a --positive y"
    said = refused(asked)
    assert "'label'" in said
    assert "judge=" in said
    assert main([*asked.split(), "--judge", "gpt"]) == 0
    capsys.readouterr()
    with pytest.raises(
        ValueError, match=r"y_true has no label for item 8; .*, or give what a judge says .* by judge=$"
    ):
        bf.from_labels(frame["label"].tolist(), {"a": frame["a"].tolist()}, positive="y")
