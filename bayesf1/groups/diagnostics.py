"""Can draws be trusted? Divergences, R-hat and effective sizes of chains; Pareto k of importance weights; grids."""

from __future__ import annotations

from dataclasses import dataclass

MAX_R_HAT = 1.01
MIN_ESS = 400.0
MAX_PARETO_K = 0.7


@dataclass(frozen=True)
class Diagnostics:
    """How well a posterior was sampled.

    Attributes
    ----------
    sampler
        ``"grid"``, ``"importance"``, ``"pymc"`` or ``"nutpie"``.
    n_draws
        How many draws in all.
    ess_bulk, ess_tail
        The least effective number of draws of any quantity, in the middle and in the tails.
    divergences, r_hat
        Divergent transitions, and the worst disagreement of chains; None without chains.
    pareto_k
        Shape of the tail of importance weights; None without them.

    Examples
    --------
    >>> Diagnostics("nutpie", 4000, 1800.0, 1500.0, divergences=0, r_hat=1.002).ok
    True
    >>> for problem in Diagnostics("nutpie", 4000, 180.0, 150.0, divergences=0, r_hat=1.002).problems:
    ...     print(problem)
    only 150 draws are effective, fewer than 400 (try more draws)
    """

    sampler: str
    n_draws: int
    ess_bulk: float
    ess_tail: float
    divergences: int | None = None
    r_hat: float | None = None
    pareto_k: float | None = None

    @property
    def chained(self) -> bool:
        """Whether draws are those of Markov chains, and so depend on each other."""
        return self.r_hat is not None

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong and what to try, in words; empty where all is well."""
        found = []
        if self.divergences:
            found.append(
                f"{self.divergences:,} of {self.n_draws:,} transitions diverged, so that parts of the posterior may "
                "be missing (try a target_accept nearer to 1, or a narrower prior)"
            )
        if self.r_hat is not None and self.r_hat > MAX_R_HAT:
            found.append(
                f"the chains disagree, R-hat {self.r_hat:.3f} above {MAX_R_HAT} (try twice as many for tune and draws)"
            )
        if self.pareto_k is not None and self.pareto_k > MAX_PARETO_K:
            found.append(
                f"a few importance weights outweigh the others, Pareto k {self.pareto_k:.2f} above {MAX_PARETO_K} "
                "(try the sampler 'nutpie')"
            )
        ess = min(self.ess_bulk, self.ess_tail)
        if ess < MIN_ESS:
            found.append(f"only {ess:.0f} draws are effective, fewer than {MIN_ESS:.0f} (try more draws)")
        return tuple(found)

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems

    @property
    def caution(self) -> str:
        """The problems as a sentence; empty where all is well."""
        return f"Caution: {'; '.join(self.problems)}." if self.problems else ""

    def __str__(self) -> str:
        if not self.chained and self.pareto_k is None:
            return f"computed on a grid, {self.n_draws:,} independent draws"
        if self.pareto_k is not None:
            shape = "no tail" if self.pareto_k < -10 else f"Pareto k {self.pareto_k:.2f}"
            return f"importance sampling, {self.n_draws:,} draws worth {self.ess_bulk:,.0f} independent ones, {shape}"
        return (
            f"{self.n_draws:,} draws of NUTS ({self.sampler}), {self.divergences} divergences, "
            f"R-hat {self.r_hat or 1.0:.3f}, effective draws {self.ess_bulk:,.0f} in bulk and "
            f"{self.ess_tail:,.0f} in tails"
        )
