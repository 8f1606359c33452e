"""Inputs and options that cannot be meant are refused in one line."""

import io

import pytest

import bayesf1 as bf
from bayesf1.cli.main import main
from file_samples import lines, lm_eval_samples


@pytest.fixture
def refused(capsys):
    def said(*argv):
        assert main(["compare", *map(str, argv)]) == 2
        out, err = capsys.readouterr()
        assert not out
        assert err.count("\n") == 1
        return err

    return said


@pytest.fixture
def piped(monkeypatch):
    return lambda data: monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_a_folder_is_what_it_holds_whatever_the_options(tmp_path, refused):
    for name in ("run1", "run2"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "samples_sums.jsonl").write_bytes(lm_eval_samples([1.0, 0.0]))
    said = refused(f"a={tmp_path / 'run1'}", f"b={tmp_path / 'run2'}", "--gold", "label")
    assert "gold= does not apply to a log of samples of lm-evaluation-harness" in said


def test_standard_input_is_named_once(piped, refused):
    piped(b"label,crf\ny,n\n")
    assert "standard input (-) is named twice" in refused("a=-", "b=-", "--gold", "label")


def test_zeros_without_end_are_not_waited_for(piped, refused):
    piped(bytes(3 << 20))
    assert "standard input begins with nothing but zero bytes" in refused("-")


def test_one_document_is_none_to_tell_from_others(tmp_path, refused):
    for name in ("crf", "bert"):
        (tmp_path / name).write_bytes(lines("In O O", "Rome B-LOC B-LOC"))
    files = {name: tmp_path / name for name in ("crf", "bert")}
    said = "use unit='sentence'"
    assert said in refused(*(f"{n}={p}" for n, p in files.items()), "--unit", "document")
    with pytest.raises(ValueError, match=said):
        bf.read(files, unit="document")


def test_of_a_wrong_folder_no_file_is_opened_but_the_first(tmp_path, refused):
    (tmp_path / "a.txt").write_text("some words\nand others here\n")
    # Unpacking it would fail.
    (tmp_path / "b.gz").write_bytes(b"\x1f\x8bno gzip")
    assert "holds 2 files, as a.txt, b.gz, of no format that comes in folders" in refused(tmp_path)


# The rest of a line of CoNLL-U behind the part of speech.
TAIL = "\t_" * 6 + "\n"
FAULTS = {
    "tags": ("a O\nb B-X\n", "a O\nb 0\n", "line 2, has tag '0', which is outside IOB2"),
    "conllu": (
        f"1\ta\t_\tX{TAIL}2\tb\t_\tY{TAIL}",
        f"1\ta\t_\tX{TAIL}2\tb\n",
        "line 2, has 2 columns",
    ),
    "brat": ("T1\tPER 0 3\tAda\n", "T1 PER 0 3 Ada\n", "line 1, has 'T1 PER 0 3 Ada', but a span is such as"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_in_the_first_lines_is_told_by_what_the_other_files_are(name, tmp_path, refused):
    good, bad, said = FAULTS[name]
    (tmp_path / "good").write_text(good)
    (tmp_path / "bad").write_text(bad)
    assert said in refused(tmp_path / "good", f"a={tmp_path / 'good'}", f"b={tmp_path / 'bad'}")
    assert "input_format=" in refused(tmp_path / "bad")


def test_gold_of_tags_is_a_file_also_where_tabs_part_them(tmp_path, refused):
    (tmp_path / "a").write_text("In\tO\nRome\tB-LOC\n")
    files = [tmp_path / "a", f"a={tmp_path / 'a'}", f"b={tmp_path / 'a'}"]
    assert "gold= names a column, which a column file of tags" in refused(*files, "--gold", "tag")
    (tmp_path / "t").write_text("token\ttag\tcrf\nIn\tO\tO\n" + "Rome\tB-LOC\tO\n" * 20)
    assert "has no column 'tga'; did you mean 'tag'?" in refused(tmp_path / "t", "--gold", "tga")
