"""The actions that open the analysis screens, and the table they show at once."""

from msgspec.structs import replace
from textual import on, work
from textual.message import Message
from textual.timer import Timer

from b100tui.model.errors import B100Error
from b100tui.tui.analyst import Analyst, GapsAsked
from b100tui.tui.index_analyst import analyst_of
from b100tui.tui.messages import RunsRead
from b100tui.tui.screens.app_actions import AppActions

SOON_SECONDS = 0.2
REST_SECONDS = 2.0


class HeatmapImported(Message, bubble=False):
    """The heatmap's modules were imported before anybody asked for it."""


class AnalysisActions(AppActions):
    """Heatmap, contradictions, groups, and what they remember."""

    def __init__(self, classes: str = "") -> None:
        super().__init__(classes)
        self._analyst: Analyst | None = None
        self._heatmap_place: object = None  # of the screens' own types, imported late
        self._groups_place: object = None
        self._rest_timer: Timer | None = None
        self._rested_at: tuple[str, int] | None = None

    @property
    def analyst(self) -> Analyst | None:
        """Who answers the analysis screens; None while there is no index."""
        if self._analyst is None and self.catalogue is not None:
            self._analyst = analyst_of(self.catalogue, self.explorer.root)
        return self._analyst

    @analyst.setter
    def analyst(self, analyst: Analyst) -> None:
        self._analyst = analyst

    # The table that the heatmap shows at once

    @on(RunsRead)
    def _wait_for_rest(self) -> None:
        if self._rest_timer is None and self.explorer.keep_fresh:
            self._rest_timer = self.set_interval(REST_SECONDS, self._at_rest)
            self.set_timer(SOON_SECONDS, self._import_heatmap)

    @work(thread=True, exclusive=True, group="heatmap-import", exit_on_error=False)
    def _import_heatmap(self) -> None:
        """Import the screen, so that its key need not wait; its table comes later."""
        import b100tui.tui.screens.heatmap  # noqa: F401 - imported for its own sake

        self.post_message(HeatmapImported())

    def _at_rest(self) -> None:
        """Make the heatmap's table once nobody scrubs: its imports would slow the keys."""
        run = self.trajectory.row.run if self.trajectory is not None else ""
        place = (run, self.position.step)
        if place != self._rested_at:
            self._rested_at = place
            return
        if self._rest_timer is not None:
            self._rest_timer.stop()
        self._make_gaps_ready(self._asked_first())

    def _asked_first(self) -> GapsAsked:
        return GapsAsked(reference=self.position.reference)

    @work(thread=True, exclusive=True, group="gaps-ready", exit_on_error=False)
    def _make_gaps_ready(self, asked: GapsAsked) -> None:
        analyst = self.analyst
        if analyst is None:
            return
        try:
            analyst.gaps(asked)
        except B100Error as error:
            self.log(f"the heatmap's table is not ready: {error.message}")

    @on(HeatmapImported)
    def _read_styles(self) -> None:
        """Parse the heatmap's styles while nobody waits: most of the time that `g` would take."""
        from b100tui.tui.screens.heatmap import HeatmapPlace, HeatmapScreen

        analyst, sheet = self.analyst, self.app.stylesheet
        if analyst is None:
            return
        for path in HeatmapScreen(analyst, HeatmapPlace()).css_path:
            if not sheet.has_source(str(path), ""):
                sheet.read(path)
                sheet.parse()

    # Opening

    def do_act_heatmap(self) -> None:
        """Open the gap heatmap."""
        from b100tui.tui.screens.heatmap import HeatmapPlace, HeatmapScreen

        analyst = self._ready()
        if analyst is None:
            return
        place = self._heatmap_place
        if not isinstance(place, HeatmapPlace):
            place = self._heatmap_place = HeatmapPlace(asked=self._asked_first())
        place.asked = replace(place.asked, reference=self.position.reference)
        self.app.push_screen(HeatmapScreen(analyst, place), self._go)

    def do_act_groups(self) -> None:
        """Open two groups of runs side by side."""
        from b100tui.tui.screens.groups import GroupsPlace, GroupsScreen

        analyst = self._ready()
        if analyst is None:
            return
        if not isinstance(self._groups_place, GroupsPlace):
            self._groups_place = GroupsPlace()
        screen = GroupsScreen(analyst, self.position.reference, self._groups_place)
        self.app.push_screen(screen, self._go)

    def do_act_lies(self) -> None:
        """Open the metrics that contradict the evidence."""
        from b100tui.tui.screens.evidence_lies import LiesScreen

        analyst = self._ready()
        if analyst is not None:
            run = self.trajectory.row.run if self.trajectory is not None else ""
            self.app.push_screen(LiesScreen(analyst, self.position.reference, run), self._go)

    def _ready(self) -> Analyst | None:
        analyst = self.analyst
        if analyst is None:
            self.say("the index is not ready yet")
        return analyst

    def _go(self, place: tuple[str, int] | None) -> None:
        if place is None:
            return
        from b100tui.tui.screens.analysis import AnalysisScreen

        while isinstance(self.app.screen, AnalysisScreen):
            self.app.pop_screen()
        self.jump(*place)
