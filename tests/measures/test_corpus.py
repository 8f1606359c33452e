"""Measures of a corpus as functions of totals: sacrebleu's and jiwer's scores, and sacrebleu's paired bootstrap."""

import numpy as np
import pytest

import bayesf1 as bf
from builders import needed

jiwer, sacrebleu = needed("jiwer"), needed("sacrebleu")

WORDS = "the a cat dog tree house on under sees likes old green runs sleeps quickly today"


def sentences(n, seed):
    """References, and outputs of two systems that garble a word now and then."""
    rng = np.random.default_rng(seed)
    gold = [list(rng.choice(WORDS.split(), rng.integers(4, 16))) for _ in range(n)]

    def garbled(rate):
        found = []
        for words in gold:
            said = [str(rng.choice(WORDS.split())) if rng.random() < rate else w for w in words]
            said = [w for w in said if rng.random() > rate / 4]
            found.append(" ".join(said + (["today"] if rng.random() < rate else [])))
        return found

    return [" ".join(words) for words in gold], {"A": garbled(0.15), "B": garbled(0.22)}


@pytest.fixture(scope="module")
def corpus():
    return sentences(250, 1)


METRICS = {
    "BLEU": (sacrebleu.BLEU(), bf.measures.corpus_bleu),
    "BLEU-2": (sacrebleu.BLEU(max_ngram_order=2), bf.measures.corpus_bleu),
    "chrF": (sacrebleu.CHRF(), bf.measures.chrf),
    "chrF++": (sacrebleu.CHRF(word_order=2), bf.measures.chrf),
    "TER": (sacrebleu.TER(), bf.measures.ter),
}


@pytest.mark.parametrize("name", METRICS)
def test_scores_of_a_corpus_are_sacrebleus(corpus, name):
    gold, said = corpus
    metric, measure = METRICS[name]
    sums = {m: metric._extract_corpus_statistics(x, [gold]) for m, x in said.items()}
    ev = bf.from_statistics(sums, measure, name=name)
    for m, outputs in said.items():
        assert bf.score(ev, m) == pytest.approx(metric.corpus_score(outputs, [gold]).score, abs=1e-9)


@pytest.mark.parametrize(
    "totals",
    [
        [9, 12, 6, 3, 1, 0, 9, 8, 7, 6],
        [9, 12, 6, 0, 0, 0, 9, 8, 7, 6],
        [9, 12, 0, 0, 0, 0, 9, 8, 7, 6],
        [3, 3, 3, 2, 1, 0, 3, 2, 1, 0],
        [0, 12, 0, 0, 0, 0, 0, 0, 0, 0],
    ],
)
def test_orders_without_a_match_are_smoothed_as_in_sacrebleu(totals):
    theirs = sacrebleu.BLEU.compute_bleu(
        totals[2:6], totals[6:], totals[0], totals[1], smooth_method="exp", max_ngram_order=4
    ).score
    assert bf.measures.corpus_bleu(totals) == pytest.approx(theirs, abs=1e-9)


def test_chrf_leaves_out_orders_that_one_side_lacks():
    for totals in ([5, 4, 3, 0, 3, 0], [0, 4, 0, 0, 3, 0], [5, 4, 0, 4, 3, 0], [5, 4, 3, 4, 3, 1]):
        theirs = sacrebleu.CHRF(char_order=2)._compute_f_score(totals)
        assert bf.measures.chrf(totals) == pytest.approx(theirs, abs=1e-9)


def edits(gold, said):
    found = [jiwer.process_words(r, h) for r, h in zip(gold, said, strict=True)]
    return [(x.hits, x.substitutions, x.deletions, x.insertions) for x in found]


def test_word_error_rates_are_jiwers(corpus):
    gold, said = corpus
    ev = bf.from_statistics({m: edits(gold, x) for m, x in said.items()}, bf.measures.wer)
    for m, outputs in said.items():
        assert bf.score(ev, m) == pytest.approx(jiwer.wer(gold, outputs), abs=1e-9)
    assert bf.compare(ev, rng=1)["wer"].definition.lower_is_better


@pytest.mark.parametrize("name", ["BLEU", "chrF"])
def test_intervals_are_those_of_sacrebleus_paired_bootstrap(corpus, name):
    gold, said = corpus
    metric, measure = METRICS[name]
    sums = {m: metric._extract_corpus_statistics(x, [gold]) for m, x in said.items()}
    c = bf.compare(bf.from_statistics(sums, measure, name=name), rng=1)[name.lower()]
    _, found = needed("sacrebleu.significance").PairedTest(
        list(said.items()), {name: metric}, [gold], test_type="bs", n_samples=4000
    )()
    # Half-widths of 4,000 resamples: the density at an end of a 95 % interval leaves an error of about 2.5 % of it.
    *_, scores = found.values()
    for theirs, ours in zip(scores, (c.posterior_a, c.posterior_b), strict=True):
        low, high = ours.interval(0.95)
        assert 0.5 * (high - low) == pytest.approx(float(theirs.ci), rel=0.08)
        assert ours.mean() == pytest.approx(float(theirs.mean), abs=0.06 * float(theirs.ci))


def test_files_of_segments_score_as_their_own_packages_do(corpus, tmp_path):
    gold, said = corpus
    for name, segments in {"ref": gold, **said}.items():
        (tmp_path / name).write_text("\n".join(segments) + "\n")
    own = {
        "bleu": sacrebleu.corpus_bleu(said["A"], [gold]).score,
        "chrF": sacrebleu.corpus_chrf(said["A"], [gold]).score,
        "ter": sacrebleu.corpus_ter(said["A"], [gold]).score,
        "wer": jiwer.wer(gold, said["A"]),
        "cer": jiwer.cer(gold, said["A"]),
    }

    def read(measure, **files):
        return bf.read(
            {m: tmp_path / f for m, f in files.items()}, gold_file=tmp_path / "ref", measure=measure
        )

    for name, score in own.items():
        assert bf.score(read(name, A="A"), "A") == pytest.approx(score, abs=1e-9)
    assert "0.5 BLEU points" in bf.compare(read("bleu", A="A", B="B"), rope=0.5).sentence()
    (tmp_path / "short").write_text("the cat\n")
    with pytest.raises(ValueError, match=r"has 1 lines, but .* has 250"):
        read("bleu", A="A", B="short")
    (tmp_path / "silent").write_text("\n" * len(gold))
    assert [bf.score(read(m, A="silent"), "A") for m in ("bleu", "wer")] == [0.0, 1.0]
    (tmp_path / "ref").write_text("\n".join(["the", "", *gold[2:]]))
    with pytest.raises(ValueError, match="line 2, is empty"):
        read("wer", A="A")
