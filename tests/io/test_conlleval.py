"""What conlleval prints becomes counts."""

import pytest

import bayesf1 as bf
from file_samples import conlleval_output, lines


def read(folder, **outputs):
    for name, data in outputs.items():
        (folder / name).write_bytes(data)
    return bf.read({name: folder / name for name in outputs})


def test_counts_are_those_printed(tmp_path):
    ev = read(tmp_path, crf=conlleval_output(200, 40, 38, 30), bert=conlleval_output(200, 40, 41, 34))
    assert ev == bf.from_counts(
        crf={"gold": 40, "predicted": 38, "correct": 30}, bert={"gold": 40, "predicted": 41, "correct": 34}
    )


def test_output_between_other_lines_is_found(tmp_path):
    ev = read(tmp_path, crf=b"epoch 3\n" + conlleval_output(200, 40, 38, 30) + b"done\n")
    assert ev.tables.tolist() == [[30, 8, 10]]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (conlleval_output(200, 40, 38, 30) * 2, "has 2 lines 'processed"),
        (
            conlleval_output(200, 40, 38, 30).replace(b"correct: 30", b"correct: 39"),
            "more correct than gold or predicted",
        ),
        (
            conlleval_output(200, 40, 38, 30).replace(b"correct: 30.", b"correct: 2.5"),
            "begins with 'processed 200 tokens .*, of no format that is known here",
        ),
    ],
)
def test_output_that_was_changed_is_refused(data, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        read(tmp_path, crf=data)


def test_systems_must_be_judged_on_the_same_gold(tmp_path):
    with pytest.raises(ValueError, match=r"was printed of 200 tokens with 41 phrases, but .* of 200 with 40"):
        read(tmp_path, crf=conlleval_output(200, 40, 38, 30), bert=conlleval_output(200, 41, 41, 34))


def test_nothing_found_is_no_error(tmp_path):
    shares = "precision:   0.00%; recall:   0.00%; FB1:   0.00"
    data = lines(
        "processed 9 tokens with 4 phrases; found: 0 phrases; correct: 0.", f"accuracy:  50.00%; {shares}"
    )
    assert read(tmp_path, crf=data).tables.tolist() == [[0, 0, 4]]


def test_one_output_needs_the_name_of_its_system(tmp_path):
    (tmp_path / "crf").write_bytes(conlleval_output(200, 40, 38, 30))
    with pytest.raises(ValueError, match="is conlleval's output of one model; give each model's by its name"):
        bf.read(tmp_path / "crf")
