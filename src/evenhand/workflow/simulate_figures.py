"""The four classic figures of bias, simulated: the front function of ``evenhand simulate figures``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from evenhand.judges.simulated_figures import FigureSettings

if TYPE_CHECKING:
    from evenhand.report.studies.simulation import SimulatedFigures

__all__ = ["FigureSettings", "simulate_figures"]


def simulate_figures(
    settings: FigureSettings | None = None, *, progress: Callable[[str, int, int], None] | None = None
) -> SimulatedFigures:
    """Simulate swap consistency, accuracy, length distortion and mitigation over strengths of bias.

    Parameters
    ----------
    settings
        Pairs, runs, seed and world; None takes the defaults, which take a second.
    progress
        Told what is being simulated, points done, and points in all.

    Returns
    -------
    SimulatedFigures
        Hand it to :func:`evenhand.report.studies.simulation.simulation_study` for a report.

    Examples
    --------
    >>> made = simulate_figures(FigureSettings(pairs=50, runs=5))
    >>> fair = made.consistency[0]
    >>> (fair.position, fair.verbosity), round(fair.exact, 3)
    ((0.0, 0.0), 0.795)
    """
    from evenhand.judges.simulated_figures import accuracy_points, consistency_points, length_points, points_in_all
    from evenhand.judges.simulated_mitigation import mitigation_points, points_of_mitigation
    from evenhand.report.studies.simulation import SimulatedFigures

    settings = settings or FigureSettings()
    done, total = 0, points_in_all() + points_of_mitigation()

    def advancing(what: str) -> Callable[[], None]:
        def advance() -> None:
            nonlocal done
            done += 1
            if progress is not None:
                progress(what, done, total)

        return advance

    return SimulatedFigures(
        settings=settings,
        consistency=consistency_points(settings, advance=advancing("swap consistency")),
        accuracy=accuracy_points(settings, advance=advancing("accuracy")),
        length=length_points(settings, advance=advancing("length")),
        mitigation=mitigation_points(settings, advance=advancing("mitigation")),
    )
