"""Figures: what is drawn is what was computed, and it can be read."""

import itertools
import json
from functools import cache

import matplotlib as mpl
import numpy as np
import pytest
from scipy import stats

mpl.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.text import Text

import bayesf1 as bf
from bayesf1.output import panels, plots
from builders import ROOT

LONG = (
    "bert-base-multilingual-cased_fine-tuned+CRF ($5e-5$)",
    "roberta_large & friends 100%",
    "xlm-roberta-large-finetuned-conll03-english",
    "spaCy en_core_web_trf 3.7.1",
    "Flair/ner-english-ontonotes-large",
    "CRF",
    "a_b_c_d_e_f_g_h",
)
ODD = ("a_b & 50% #1 {x} ~^\\", "$\\frac{1}{0}$")


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def models(names):
    hits = 700 + 13 * np.arange(len(names))[::-1]
    return bf.from_counts({name: (h, 950 - h, 1000 - h, 5000) for name, h in zip(names, hits, strict=True)})


def classes(names, *, rope=0.0):
    spread = [(180, 200), (150, 149), (90, 120), (60, 40), (300, 290), (20, 24)]
    return {
        name: bf.compare(bf.from_counts({LONG[0]: (a, 20, 20), LONG[1]: (b, 20, 20)}), rope=rope)["f1"]
        for name, (a, b) in zip(names, itertools.cycle(spread), strict=False)
    }


def flat(axes):
    return list(np.ravel(np.asarray(axes, dtype=object)))


FIGURES = {
    "coverage over scores": lambda: plots.plot_coverage(
        {"20 items": [bf.coverage_curve([20], p, 1 - p, 0.0) for p in (0.5, 0.9)]}
    ),
    "posterior of the paper": lambda: plots.plot_posterior(bf.load_example("wang-li-cws")),
    "posterior of seven models": lambda: plots.plot_posterior(models(LONG)),
    "posterior of seven models, one metric": lambda: plots.plot_posterior(models(LONG), "f1"),
    "posterior of four metrics": lambda: plots.plot_posterior(
        models(LONG[:2]), ("precision", "recall", "f1", "mcc"), n_draws=2000, rng=1
    ),
    "posterior of five metrics": lambda: plots.plot_posterior(
        models(LONG[:1]), ("precision", "recall", "f1", "f2", "jaccard")
    ),
    "difference": lambda: plots.plot_difference(bf.compare(models(LONG[:2]), rope=0.01)),
    "difference in one metric": lambda: plots.plot_difference(bf.compare(models(LONG[:2]))["f1"]),
    "rank": lambda: plots.plot_rank(bf.rank(models(LONG), n_draws=1000, rng=1)),
    "rank of two": lambda: plots.plot_rank(bf.rank(models(LONG[:2]), n_draws=1000, rng=1, rope=0.01)),
    "rank of twenty": lambda: plots.plot_rank(
        bf.rank(models([f"system-{i}" for i in range(20)]), n_draws=1000, rng=1)
    ),
    "classes": lambda: plots.plot_classes(classes(["person", "creative-work", "group"], rope=0.02)),
    "two dozen classes": lambda: plots.plot_classes(
        classes([f"a class with quite a long name indeed, number {i}" for i in range(24)])
    ),
    "precision and recall": lambda: plots.plot_curves(
        {name: bf.measures.pr_curve([0, 1, 0, 1, 1] * 8, np.arange(40) % 7 / 7, rng=1) for name in LONG[:2]}
    ),
}


@cache
def drawn(name):
    figure = flat(FIGURES[name]())[0].get_figure()
    figure.draw_without_rendering()
    return figure


@pytest.fixture(params=FIGURES)
def figure(request):
    return drawn(request.param)


def texts_of(figure):
    """Texts and their boxes, but for labels of ticks beyond the ends of an axis, which are not drawn."""
    off = set()
    for ax in figure.axes:
        for axis, ends in ((ax.xaxis, ax.get_xlim()), (ax.yaxis, ax.get_ylim())):
            low, high = sorted(ends)
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                if not low - 1e-9 <= tick.get_loc() <= high + 1e-9:
                    off |= {tick.label1, tick.label2}
    texts = [text for text in figure.findobj(Text) if text.get_text().strip() and text.get_visible()]
    return [(text, text.get_window_extent()) for text in texts if text not in off]


def test_no_two_texts_of_a_figure_overlap(figure):
    texts = texts_of(figure)
    assert len(texts) > 5
    for (one, a), (other, b) in itertools.combinations(texts, 2):
        # boxes include what a line keeps free above and below its letters
        across = min(a.x1, b.x1) - max(a.x0, b.x0)
        down = min(a.y1, b.y1) - max(a.y0, b.y0)
        slack = 0.15 * min(a.height, b.height)
        assert across <= 0.5 or down <= slack, f"{one.get_text()!r} overlaps {other.get_text()!r}"


def test_no_text_leaves_its_figure(figure):
    for text, box in texts_of(figure):
        assert box.min.min() >= -1.0, text.get_text()
        assert (box.max <= figure.bbox.max + 1.0).all(), text.get_text()


def test_type_has_at_least_seven_points_and_lines_half_a_point(figure):
    assert all(text.get_fontsize() >= 7.0 for text, _ in texts_of(figure))
    for ax in figure.axes:
        assert all(line.get_linewidth() >= 0.5 for line in ax.lines)
        ticks = ax.xaxis.get_major_ticks() + ax.yaxis.get_major_ticks()
        assert {tick.label1.get_fontsize() for tick in ticks} | {7.0} == {7.0}
        assert all(tick.tick1line.get_markeredgewidth() >= 0.5 for tick in ticks)
        assert ax.spines["bottom"].get_linewidth() >= 0.5


def test_a_figure_is_one_or_two_columns_wide_and_no_page_high(figure):
    width, height = figure.get_size_inches()
    assert width in (3.03, 6.3)
    assert height < 9.0


def test_nothing_in_a_figure_is_read_as_a_formula_of_a_name():
    for name in ODD:
        (panel,) = plots.plot_posterior(models([name, "other"]), "f1")
        panel.get_figure().draw_without_rendering()
        (legend,) = panel.get_figure().legends
        assert legend.get_texts()[0].get_text() == name
        assert not legend.get_texts()[0].get_parse_math()


def test_each_curve_has_the_colour_that_the_legend_gives_its_model():
    c = bf.compare(bf.from_counts(low=(40, 60, 60), high=(90, 10, 10)), metrics="f1")["f1"]
    ax = Figure().subplots()
    plots.draw_scores(c, ax)
    legend = ax.get_legend()
    named = zip(legend.get_texts(), legend.get_lines(), strict=True)
    colours = {text.get_text(): line.get_color() for text, line in named}
    left, right = sorted(ax.get_lines(), key=lambda line: line.get_xdata()[np.argmax(line.get_ydata())])
    assert colours == {"low": left.get_color(), "high": right.get_color()}
    assert left.get_color() != right.get_color()


def effective(ev, model, k):
    tp, fp, fn = k * ev.folds.counts[:, :, ev.models.index(model)].sum(axis=(0, 1))[:3] + 1.0
    return tp, fp, fn


def f1_density(tp, fp, fn):
    """Density of F1 from scipy: F = 2T/(2T+W) with gamma variates T, W, so that 2/F - 2 is beta prime."""

    def pdf(x):
        return stats.betaprime(fp + fn, tp).pdf(2.0 / x - 2.0) * 2.0 / x**2

    def ppf(q):
        return 2.0 / (2.0 + stats.betaprime(fp + fn, tp).isf(q))

    return pdf, ppf


@pytest.mark.parametrize("task", ["cws", "ner", "org"])
def test_curves_of_the_paper_are_scipys_densities_between_their_outer_quantiles(task):
    # Wang & Li (2019), Figures 1-3, with Eq. 22's discount .3688.
    ev = bf.load_example(f"wang-li-{task}")
    precision, recall, f1 = plots.plot_posterior(ev)
    for i, model in enumerate(ev.models):
        tp, fp, fn = effective(ev, model, 0.3688021103)
        distributions = [(stats.beta(tp, b).pdf, stats.beta(tp, b).ppf) for b in (fp, fn)] + [
            f1_density(tp, fp, fn)
        ]
        for panel, (pdf, ppf) in zip((precision, recall, f1), distributions, strict=True):
            line = panel.lines[i]
            x, y = line.get_data()
            assert (x[0], x[-1]) == pytest.approx((ppf(0.001), ppf(0.999)), rel=1e-7)
            np.testing.assert_allclose(y, pdf(x), rtol=1e-5)


def test_a_metric_without_a_closed_form_has_a_density_of_its_draws():
    (panel,) = plots.plot_posterior(bf.from_counts(A=(77, 44, 10, 702)), "mcc", prior=1, rng=1)
    x, y = panel.lines[0].get_data()
    # 500,000 draws of the Dirichlet, made by numpy
    tp, fp, fn, tn = np.random.default_rng(2).dirichlet([78, 45, 11, 703], size=500_000).T
    mcc = (tp * tn - fp * fn) / np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    assert np.trapezoid(y, x) == pytest.approx(0.998, abs=0.002)
    # quantiles at 0.001 of so many draws have an error of 4e-4
    assert (x[0], x[-1]) == pytest.approx(tuple(np.quantile(mcc, [0.001, 0.999])), abs=4e-3)
    share, mean = np.trapezoid(y, x), np.trapezoid(x * y, x)
    assert mean / share == pytest.approx(mcc.mean(), abs=5e-4)


def test_the_difference_of_the_paper_says_the_probabilities_of_its_table():
    # Wang & Li (2019), Table 5, ORG: R .706/.294 and F1 .587/.413; R is .705/.295 exactly (MATHS, errata).
    axes = plots.plot_difference(bf.compare(bf.load_example("wang-li-org"), metrics=["recall", "f1"]))
    written = [[text.get_text() for text in panel.texts] for panel in axes]
    assert {"P(H0) = .705", "P(H1) = .295"} <= set(written[0])
    assert {"P(H0) = .587", "P(H1) = .413"} <= set(written[1])
    assert not any("rope" in text for text in written[1])


def test_the_curve_of_a_difference_is_the_convolution_of_two_densities():
    res = bf.compare(bf.from_counts(A=(77, 44, 10), B=(80, 30, 7)), rope=0.02, prior=1)["f1"]
    (panel,) = plots.plot_difference(res)
    x, y = next(line for line in panel.lines if len(line.get_xdata()) > 100).get_data()
    (a, _), (b, _) = f1_density(78.0, 45.0, 11.0), f1_density(81.0, 31.0, 8.0)
    t = np.linspace(0.4, 0.999, 6000)
    for d, height in zip(x[::40], y[::40], strict=True):
        inside = (t + d > 0.0) & (t + d < 1.0)
        brute = np.trapezoid(a(t[inside]) * b(t[inside] + d), t[inside])
        assert height == pytest.approx(brute, rel=1e-5, abs=1e-6)


def test_a_difference_shows_its_rope_interval_and_zero():
    res = bf.compare(bf.from_counts(A=(77, 44, 10), B=(80, 30, 7)), rope=0.02, prob=0.8)["f1"]
    (panel,) = plots.plot_difference(res)
    (rope,) = [patch for patch in panel.patches if isinstance(patch, Rectangle)]
    assert (rope.get_x(), rope.get_x() + rope.get_width()) == pytest.approx((-0.02, 0.02))
    bar = next(line for line in panel.lines if len(line.get_xdata()) == 2)
    low, high = bar.get_xdata()
    assert (low, high) == pytest.approx(res.difference.interval(0.8))
    texts = [text.get_text() for text in panel.texts]
    assert f"80 % interval [{100 * low:+.1f}, {100 * high:+.1f}]".replace("-", "−") in texts
    assert f"P(rope) = {res.p_rope:.3f}".replace("0.", ".") in texts
    left, right = panel.get_xlim()
    assert left <= -0.02 < 0.02 <= right


def test_a_ranking_is_drawn_cell_by_cell():
    ranking = bf.rank(models(LONG), n_draws=1000, rng=1)
    beats, ranks = plots.plot_rank(ranking)
    drawn = beats.collections[0].get_array()
    off = ~np.eye(7, dtype=bool)
    np.testing.assert_array_equal(drawn.mask, ~off)
    np.testing.assert_array_equal(drawn[off], ranking.p_beats[off])
    np.testing.assert_array_equal(ranks.collections[0].get_array(), ranking.p_rank)
    assert (len(beats.texts), len(ranks.texts)) == (42, 49)
    assert "1.00" not in {text.get_text() for text in beats.texts + ranks.texts}


def test_classes_are_sorted_and_filled_where_decisive():
    res = classes(["PER", "LOC", "ORG", "MISC"], rope=0.01)
    panel = plots.plot_classes(res)
    names = [label.get_text() for label in panel.get_yticklabels()]
    assert names == sorted(res, key=lambda name: -res[name].difference.mean())
    for i, name in enumerate(names):
        bar = next(line for line in panel.lines if list(line.get_ydata()) == [i, i])
        (dot,) = [line for line in panel.lines if list(line.get_ydata()) == [i]]
        assert tuple(bar.get_xdata()) == pytest.approx(res[name].difference.interval(0.95))
        low, high = res[name].difference.interval(0.95)
        assert (dot.get_markerfacecolor() != "white") == (low > 0 or high < 0)
        assert dot.get_marker() == (">" if res[name].p_h1 > 0.5 else "<")


def to_linear(rgb):
    """Linear RGB of an sRGB colour (IEC 61966-2-1)."""
    c = np.asarray(rgb)
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def to_lab(linear):
    matrix = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = matrix @ np.clip(linear, 0, 1) / [0.9505, 1.0, 1.089]
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


# On linear RGB; and what everybody else sees.
VISION = json.loads((ROOT / "tests/reference/machado_2009.json").read_text())["severity 1.0"] | {
    "normal": np.eye(3)
}


def test_colours_differ_in_grey():
    # a difference of 2.3 in L* is just noticeable side by side
    values = sorted(to_lab(to_linear(to_rgb(colour)))[0] for colour in plots.COLOURS)
    assert min(np.diff(values)) >= 9.0
    assert values[-1] <= 82.0


@pytest.mark.parametrize("vision", VISION)
def test_colours_differ_for(vision):
    seen = [to_lab(np.array(VISION[vision]) @ to_linear(to_rgb(colour))) for colour in plots.COLOURS]
    assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)) >= 15.0


@pytest.mark.parametrize(("ending", "start"), [("pdf", b"%PDF"), ("svg", b"<?xml"), ("PNG", b"\x89PNG\r\n")])
def test_a_figure_can_be_saved_as(ending, start, tmp_path):
    path = tmp_path / f"figure.{ending}"
    plots.save_plot(plots.plot_difference(bf.compare(models(ODD), metrics="f1", rope=0.01)), path)
    assert path.read_bytes().startswith(start)
    assert list(tmp_path.iterdir()) == [path]


def test_pgf_is_refused_as_it_would_run_names_as_latex(tmp_path):
    axes = plots.plot_posterior(models(ODD), "f1")
    with pytest.raises(ValueError, match="save a PDF"):
        axes[0].get_figure().savefig(tmp_path / "f.pgf")
    assert not list(tmp_path.iterdir())


def test_fonts_of_a_pdf_are_not_type_3(tmp_path):
    axes = plots.plot_posterior(models(ODD), "f1")
    with mpl.rc_context({"pdf.compression": 0}):
        axes[0].get_figure().savefig(tmp_path / "ours.pdf")
        plots.save_plot(axes, tmp_path / "saved.pdf")
        Figure.savefig(axes[0].get_figure(), tmp_path / "default.pdf")
    assert b"/Type3" in (tmp_path / "default.pdf").read_bytes()
    for name in ("ours.pdf", "saved.pdf"):
        assert b"/Type3" not in (tmp_path / name).read_bytes()


@pytest.mark.long
@pytest.mark.parametrize("kind", ["pdf", "svg", "png"])
def test_the_same_figure_gives_the_same_bytes(kind):
    one, other = (panels.render(plots.plot_posterior(bf.load_example("wang-li-org")), kind) for _ in range(2))
    assert one == other


def test_drawing_leaves_the_settings_of_matplotlib_as_they_were():
    before = dict(mpl.rcParams)
    for name in ("posterior of the paper", "rank", "classes"):
        FIGURES[name]()
    assert dict(mpl.rcParams) == before


@pytest.mark.parametrize("subfigure", [False, True])
def test_every_figure_of_one_panel_can_be_drawn_on_given_axes(subfigure, tmp_path):
    makers = [
        lambda ax: plots.plot_posterior(models(LONG), "f1", ax=ax),
        lambda ax: plots.plot_difference(bf.compare(models(LONG[:2]))["f1"], ax=ax),
        lambda ax: plots.plot_classes(classes(["PER", "LOC"]), ax=ax),
    ]
    for make in makers:
        figure = plt.figure()
        ax = (figure.subfigures(1, 2)[0] if subfigure else figure).subplots()
        assert flat(make(ax)) == [ax]
        plots.save_plot(ax, tmp_path / "figure.png", dpi=50)


def test_of_a_loss_the_figure_is_blue_where_b_is_lower():
    rng = np.random.default_rng(1)
    a = rng.gamma(2.0, 1.0, 40)
    losses = {"A": a, "B": a * rng.uniform(0.7, 1.25, 40)}
    for lower in (False, True):
        (panel,) = bf.plot_difference(
            bf.compare(bf.from_scores(losses, lower_is_better=lower), rng=1)["mean"]
        )
        blue = next(
            c for c in panel.collections if len(c.get_facecolor()) and c.get_facecolor()[0][3] == 0.35
        )
        x = blue.get_paths()[0].vertices[:, 0]
        assert (x.max() <= 1e-9) if lower else (x.min() >= -1e-9)
        (side,) = (t.get_ha() for t in panel.texts if t.get_text().startswith("P(H1)"))
        assert side == ("left" if lower else "right")


def test_curves_of_two_kinds_share_no_axes():
    y, scores = [0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8]
    roc, pr = bf.measures.roc_curve(y, scores, rng=1), bf.measures.pr_curve(y, scores, rng=1)
    with pytest.raises(ValueError, match="one kind"):
        bf.plot_curves({"A": roc, "B": pr})
    line = bf.plot_curves(roc).lines[-1]
    np.testing.assert_array_equal(line.get_ydata(), roc.y)
