"""What an error advises is what helps, in the words of who asked."""

import pytest

import bayesf1 as bf
from bayesf1.cli.main import main
from file_samples import conllu, lines

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


@pytest.mark.parametrize("read", [bf.read, bf.load])
def test_a_file_that_is_not_there_is_named_with_one_like_it(read, tmp_path):
    (tmp_path / "one.json").write_text("{}")
    with pytest.raises(
        FileNotFoundError, match=r"^there is no file .*one2\.json; did you mean .*one\.json\?$"
    ):
        read(tmp_path / "one2.json")
    with pytest.raises(FileNotFoundError, match=r"^there is no file .*x.one\.json$"):
        read(tmp_path / "x" / "one.json")
