"""Every format is recognised by what stands in a file, whatever its name, compressed or not, and none is taken for another."""

import gzip

import pytest

from bayesf1.base.input_files import input_files
from bayesf1.io.read import INPUT_FORMATS
from file_samples import SAMPLES

ORDER = {fmt.name: i for i, fmt in enumerate(INPUT_FORMATS)}
CASES = [(name, file) for name, sample in SAMPLES.items() for file in sample.own]


def recognised(path, options):
    """The names of all formats that recognise a file, the chosen one first."""
    with input_files() as take:
        file = take(path)
        return [fmt.name for fmt in INPUT_FORMATS if fmt.recognises(file, options)]


@pytest.mark.parametrize("written", ["plain", "gz", "bom", "crlf"])
@pytest.mark.parametrize(("name", "file"), CASES)
def test_a_file_is_of_its_own_format_whatever_it_is_called(name, file, written, tmp_path):
    sample = SAMPLES[name]
    data = sample.files[file]
    path = tmp_path / "x.txt"
    path.write_bytes(
        {
            "plain": data,
            "gz": gzip.compress(data),
            "bom": b"\xef\xbb\xbf" + data,
            "crlf": data.replace(b"\n", b"\r\n"),
        }[written]
    )
    found = recognised(path, sample.options)
    assert found[0] == sample.format
    # A table is any JSON, and what looks like a header with rows; it is asked last. Counts may be any JSON object.
    assert {*found[1:]} <= {"counts", "table"}


def test_every_format_has_a_sample_and_a_name_of_its_own():
    assert len(ORDER) == len(INPUT_FORMATS)
    assert {sample.format for sample in SAMPLES.values()} >= ORDER.keys()


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_reads_the_same_from_compressed_files(name, tmp_path):
    sample = SAMPLES[name]
    sample.write(tmp_path)
    clean = sample.read(tmp_path)
    for file, data in sample.files.items():
        (tmp_path / file).write_bytes(gzip.compress(data))
    assert sample.read(tmp_path) == clean
    assert clean.remarks == ()
