"""CoNLL-U: words are lined up, one column is compared, sentences or documents are the units."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score

import bayesf1 as bf
from file_samples import conllu

GOLD = ("A/DET b/NOUN", "c/VERB d/NOUN e/DET", "f/VERB g/NOUN")
SAID = ("A/DET b/VERB", "c/VERB d/NOUN e/NOUN", "f/DET g/NOUN")


def write(folder, gold=GOLD, said=SAID, **options):
    (folder / "gold.conllu").write_bytes(conllu(*gold, **options))
    (folder / "crf.txt").write_bytes(conllu(*said, **options))
    return {"crf": folder / "crf.txt"}, folder / "gold.conllu"


def values(sentences):
    return [word.partition("/")[2] for sentence in sentences for word in sentence.split()]


@pytest.mark.parametrize(("field", "column"), [(None, 3), ("UPOS", 3), ("xpos", 4), ("DEPREL", 7)])
def test_labels_of_words_score_as_in_scikit_learn(field, column, tmp_path):
    models, gold = write(tmp_path, column=column)
    ev = bf.read(models, gold_file=gold, field=field)
    a, b = values(GOLD), values(SAID)
    assert bf.score(ev, "crf", "accuracy") == accuracy_score(a, b)
    assert bf.score(ev, "crf", "macro_f1") == pytest.approx(f1_score(a, b, average="macro"))
    assert (ev.unit, ev.units.size) == ("sentence", 3)
    sentences = np.repeat([0, 1, 2], [2, 3, 2])
    assert ev.tables.tolist() == bf.from_labels(a, {"crf": b}, groups=sentences).tables.tolist()


def test_documents_may_be_units(tmp_path):
    models, gold = write(tmp_path, documents=(0, 2))
    ev = bf.read(models, gold_file=gold, unit="document")
    assert ev == bf.from_labels(values(GOLD), {"crf": values(SAID)}, groups=[0] * 5 + [1] * 2)
    models, gold = write(tmp_path)
    with pytest.raises(ValueError, match="has no '# newdoc' lines"):
        bf.read(models, gold_file=gold, unit="document")


def test_folders_are_matched_by_name_and_files_are_documents(tmp_path):
    for side, sentences in (("gold", GOLD), ("crf", SAID)):
        (tmp_path / side).mkdir()
        for i, sentence in enumerate(sentences):
            (tmp_path / side / f"{i}.conllu").write_bytes(conllu(sentence))
    ev = bf.read({"crf": tmp_path / "crf"}, gold_file=tmp_path / "gold", unit="document")
    assert ev == bf.from_labels(values(GOLD), {"crf": values(SAID)}, groups=[0, 0, 1, 1, 1, 2, 2])
    (tmp_path / "crf" / "1.conllu").rename(tmp_path / "crf" / "9.conllu")
    with pytest.raises(ValueError, match=r"has no file 1.conllu, but gold has"):
        bf.read({"crf": tmp_path / "crf"}, gold_file=tmp_path / "gold")


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (SAID[:2], r"begins sentence 2 of 2 .* same sentences"),
        ((*SAID, "x/X"), r"begins sentence 3 of 4 .* same sentences"),
        (("A/DET b/_", *SAID[1:]), r"crf.txt, line 6, has no UPOS; .* field="),
    ],
)
def test_files_that_do_not_line_up_are_refused_with_their_lines(said, message, tmp_path):
    models, gold = write(tmp_path, said=said)
    with pytest.raises(ValueError, match=message):
        bf.read(models, gold_file=gold)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b"2\tb", b"2 b", "crf.txt, line 6, has 9 columns, but should have 10"),
        (b"\n\n", b"\n", "crf.txt, line 8, has 1 columns, but should have 10"),
    ],
)
def test_a_bad_line_is_named(old, new, message, tmp_path):
    more = ["w/X " * 30]
    models, gold = write(tmp_path, (*GOLD, *more), (*SAID, *more))
    data = (tmp_path / "crf.txt").read_bytes()
    (tmp_path / "crf.txt").write_bytes(data.replace(old, new, 1))
    with pytest.raises(ValueError, match=message):
        bf.read(models, gold_file=gold)
