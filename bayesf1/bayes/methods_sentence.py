"""How an answer was found, in a sentence or two for a paper's section on methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesf1.base.table import amount, printable

if TYPE_CHECKING:
    from bayesf1.bayes.comparison import Comparison
    from bayesf1.bayes.ranking import Ranking

_TEST = "the Bayes test of Wang and Li (2019, ACL, 4135–4145)"


def of_comparison(comparisons: tuple[Comparison, ...]) -> str:
    """Return how models were compared: prior, discount, assumption, computation, version, citation."""
    from bayesf1.bayes.verdict import headline

    c = headline(comparisons)
    labels = [one.label for one in comparisons]
    measures = labels[0] if len(labels) == 1 else f"{', '.join(labels[:-1])} and {labels[-1]}"
    tested = (
        f"{c.model_b} was compared with {c.model_a} on {measures} by {_TEST}, as implemented in {version()}"
    )
    parts = [f"{tested}, with {_article(c.ev.kind.describe_prior(c.prior))}", c.under.in_methods(c.measure)]
    if c.folds is not None:
        rule = c.folds.rule if isinstance(c.folds.rule, str) else "given"
        parts.append(
            f"counts of the {c.folds.cv} were discounted by k = {c.folds.k:.4f} (rule {rule}), and the "
            "conclusions concern the rules fitted in these folds"
        )
    parts.append(
        {
            "exact": "probabilities were computed by numerical quadrature, without sampling",
            "quasi-montecarlo": f"probabilities were computed by a lattice rule (standard error {c.mcse:.1g})",
        }.get(c.method, f"probabilities rest on {c.n_draws:,} posterior draws (standard error {c.mcse:.1g})")
    )
    if c.rope:
        parts.append(
            f"differences within ±{amount(c.rope, percent=c.measure.percent)} were counted as practically none"
        )
    intervals = f"Intervals are {100 * c.prob:.4g} % equal-tailed credible intervals."
    return printable(f"{'; '.join(parts)}. {intervals}")


def of_ranking(ranking: Ranking) -> str:
    """Return how models were ranked: prior, assumption, draws, version."""
    attrs = ranking.attrs
    margin = ""
    if attrs["rope"]:
        margin = f" by more than {amount(attrs['rope'], percent=bool(attrs['percent']))}"
    return printable(
        f"{ranking.sizes['system']} systems were ranked by {attrs['label']} from {attrs['n_draws']:,} joint posterior "
        f"draws with {version()}, with {_article(attrs['belief'])}; {attrs['dependence']}. "
        f"A system counts as tied with the first unless the first is better{margin} with probability "
        f"{attrs['prob']:g} or more. The law of the scores follows Wang and Li (2019, ACL, 4135–4145)."
    )


def version() -> str:
    """Return the package's name and version."""
    from bayesf1 import __version__

    return f"bayesf1 {__version__}"


def _article(prior: str) -> str:
    return "no prior" if prior == "No prior" else f"a {prior}"
