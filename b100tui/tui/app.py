"""The app: one folder of runs, its themes, its pictures, and a clean way out."""

import asyncio
import shutil
import signal
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.app import App
from textual.await_complete import AwaitComplete
from textual.command import Provider
from textual.screen import Screen

from b100tui.index.rows import FirstPaint
from b100tui.model.text import clean_line
from b100tui.terminal.facts import TerminalFacts
from b100tui.tui.actions import ACTIONS, Action
from b100tui.tui.catalogue import Catalogue
from b100tui.tui.driver import Link
from b100tui.tui.inner_outer import forget_widgets
from b100tui.tui.processes import ProbeRunner
from b100tui.tui.remember import Place, remember
from b100tui.tui.screens.main import MainScreen
from b100tui.tui.screens.putting_off import PutsOff, hand_over
from b100tui.tui.themes import OWN_VARIABLES, load_theme, theme_files
from b100tui.tui.widgets.picture import PictureView
from b100tui.workspace.places import config_dir
from b100tui.workspace.settings import Settings

if TYPE_CHECKING:
    from b100tui.terminal.pipeline import Pipeline
    from b100tui.tui.asker import Asker
    from b100tui.tui.desk import Desk
    from b100tui.tui.maker import Maker
    from b100tui.tui.scorer import Scorer
    from b100tui.tui.writer import Writer

DEFAULT_THEME = "dark"
INTERRUPTED = 128 + signal.SIGINT


def open_index(root: Path) -> Catalogue:
    """Open the index of `root`; imports the database only now."""
    from b100tui.index import store

    return store.open_index(root)


def _actions() -> type[Provider]:
    from b100tui.tui.palette import ActionProvider

    return ActionProvider


class Explorer(App[None]):
    """`b100 explore`: everything it needs is given to it, so that tests can stand in."""

    TITLE = "b100"
    CSS_PATH = "styles/explorer.tcss"
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {_actions}
    COMMAND_PALETTE_BINDING = "ctrl+p"

    def __init__(  # noqa: PLR0913 - one argument a seam
        self,
        root: Path,
        *,
        first: FirstPaint | None = None,
        place: Place | None = None,
        settings: Settings | None = None,
        actions: Sequence[Action] = ACTIONS,
        screen_keys: Mapping[str, tuple[str, ...]] | None = None,
        problems: Sequence[str] = (),
        facts: TerminalFacts | None = None,
        pipeline: "Pipeline | None" = None,
        open_catalogue: Callable[[Path], Catalogue] = open_index,
        theme_folders: Sequence[Path] | None = None,
        keep_fresh: bool = True,
        desk: "Desk | None" = None,
        scorer: "Callable[[Catalogue], Scorer] | None" = None,
        maker: "Callable[[Catalogue], Maker] | None" = None,
        asker: "Callable[[Catalogue], Asker] | None" = None,
        writer: "Writer | None" = None,
        config: str | None = None,
        opened: Callable[[], None] | None = None,
        driver_class: Any = None,
    ) -> None:
        forget_widgets()
        super().__init__(driver_class=driver_class)
        self.root = root
        self.first = first
        self.place = place
        self.settings = settings or Settings()
        self.actions = tuple(actions)
        self.screen_keys = dict(screen_keys or {})
        self.facts = facts or TerminalFacts()
        self.pipeline = pipeline
        self.open_catalogue = open_catalogue
        self.keep_fresh = keep_fresh
        self._desk = desk
        self.scorer = scorer or self._root_scorer
        self.maker = maker or self._root_maker
        self.asker = asker or self._root_asker
        self.config = config
        self.writer = writer
        self._opened = opened
        self.probes = ProbeRunner(root, self.settings.probes) if keep_fresh else None
        self.last_query = ""
        self.crashed = False
        self.parting_words = ""
        self.crash: Path | None = None
        self._problems = list(problems)
        self._theme_files: dict[str, Path] = {}
        self._take_theme(theme_folders)

    # Who does the work that jobs do; imported when the first of it is asked for

    @property
    def desk(self) -> "Desk":
        """The jobs of this folder."""
        from b100tui.tui.desk import JobDesk

        if self._desk is None:
            self._desk = JobDesk(self.root)
        return self._desk

    def _root_asker(self, catalogue: Catalogue) -> "Asker":
        from b100tui.tui.asker import RootAsker

        return RootAsker(self.root, catalogue, self.config)

    def _root_maker(self, catalogue: Catalogue) -> "Maker":
        from b100tui.tui.maker import RootMaker

        return RootMaker(self.root, catalogue, self.config)

    def _root_scorer(self, catalogue: Catalogue) -> "Scorer":
        from b100tui.tui.scorer import RootScorer

        return RootScorer(self.root, catalogue, self.settings.score.python, self.config)

    def _take_theme(self, folders: Sequence[Path] | None) -> None:
        """Take the wanted theme; the others are read when they are asked for."""
        if folders is None:
            from b100tui.resources import shipped_folder

            folders = [shipped_folder("themes"), config_dir() / "themes"]
        self._theme_files = theme_files(list(folders))
        for wanted in (self.settings.theme, DEFAULT_THEME):
            if self._read_theme(wanted):
                # Not through the watcher: it would parse every style twice before the first paint.
                self.set_reactive(App.theme, wanted)
                self.stylesheet.set_variables(self.get_css_variables())
                return

    def _read_theme(self, name: str) -> bool:
        """Register the theme `name`; False, with the reason kept to be told, where it fails."""
        path = self._theme_files.get(name)
        if path is None:
            known = ", ".join(self._theme_files)
            self._problems.append(f"no theme {name!r}; there are {known}")
            return False
        try:
            self.register_theme(load_theme(path))
        except ValueError as error:
            self._problems.append(str(error))
            return False
        return True

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Return the styles' own variables for themes that do not set them."""
        return dict(OWN_VARIABLES)

    def get_default_screen(self) -> MainScreen:
        """Return the main screen: a blank one below it would cost the first paint."""
        return MainScreen(self.actions, shutil.get_terminal_size((80, 24)))

    def on_mount(self) -> None:
        """Take the user's keys, and say what was wrong with keys, themes and settings."""
        if self._opened is not None:
            self._opened()
        changed = {
            action.id: ",".join(action.keys)
            for action, shipped in zip(self.actions, ACTIONS, strict=True)
            if action.keys != shipped.keys and action.keys
        }
        changed |= {name: ",".join(keys) for name, keys in self.screen_keys.items() if keys}
        if changed:
            self.set_keymap(changed)
        link = Link.of(self)
        if link is not None:
            link.on_facts = self.take_facts
            loop = asyncio.get_running_loop()
            loop.add_signal_handler(signal.SIGINT, self.exit, None, INTERRUPTED)
        self.tell_problems()

    @property
    def _background_screens(self) -> list[Screen[Any]]:
        """The screens that may be seen through the one on top.

        Textual names the one below even an opaque screen, and then paints the top anew for
        every change down there: pictures would go out again and again.
        """
        return super()._background_screens if self.screen.is_modal else []

    @property
    def main(self) -> MainScreen:
        """The main screen, whatever lies over it."""
        return next(screen for screen in self.screen_stack if isinstance(screen, MainScreen))

    @property
    def settled(self) -> bool:
        """Whether the whole run list has been read."""
        return self.main.catalogue is not None

    def total_runs(self, known: int) -> int:
        """Return how many runs there are: `known`, or more where only the first are read."""
        if self.first is not None and not self.settled:
            return max(known, self.first.total_runs)
        return known

    def pictures_in_words(self) -> str:
        """Return how pictures go out, or why not."""
        if self.facts.graphics == "text":
            return f"no pictures: {self.facts.reason}"
        return self.facts.graphics

    def take_facts(self, facts: TerminalFacts) -> None:
        """Take a late answer of the terminal: pictures go out the better way from now on."""
        self.facts = facts
        if self.pipeline is not None:
            self.pipeline.facts = facts
            # Not there yet where the answer comes amid the start: it asks once it is.
            for picture in self.main.query("#picture").results(PictureView):
                picture.again()

    def run_action_by_id(self, name: str) -> None:
        """Run an action of the registry, as the palette does."""
        self.main.action_run(name)

    def next_theme(self) -> str:
        """Take the next theme that can be read and return its name."""
        names = list(self._theme_files)
        at = names.index(self.theme) if self.theme in names else -1
        for name in (*names[at + 1 :], *names[: at + 1]):
            if self._read_theme(name):
                self.theme = name
                break
        self.tell_problems()
        return self.theme

    def tell_problems(self) -> None:
        """Tell what was wrong with keys, themes and settings, once."""
        problems, self._problems = self._problems, []
        for problem in problems:
            self.notify(clean_line(problem), severity="warning", markup=False, timeout=10)

    def write_to_terminal(self, sequence: str | None) -> None:
        """Send a control sequence through the one writer; nothing where there is no terminal."""
        if sequence is not None and self._driver is not None and not self.is_headless:
            self._driver.write(sequence)

    async def _check_bindings(self, key: str, priority: bool = False) -> bool:
        """Have keys act one after the other, and none on a screen that is not ready or going.

        Textual then gives the key to that screen, which comes to it when it is ready.
        """
        screen = self.screen
        if self._exit or not screen.is_mounted:
            return False
        done = await super()._check_bindings(key, priority)
        if priority and not done and isinstance(screen, PutsOff) and screen.keys_at_once:
            # Not once the key has gone down to a widget and come up again: of many typed at once
            # the later ones would be with that widget by then, not where the first one leads.
            done = await super()._check_bindings(key, False)
        return done

    def on_key(self, event: events.Key) -> None:
        """Give a letter that went round a line which has the focus by now to that line.

        It was typed before the line was there, and waited with the screen.
        """
        from textual.widgets import Input

        focused = self.focused
        if isinstance(focused, Input) and event.is_printable and event.character:
            event.stop().prevent_default()
            focused.replace(event.character, *focused.selection)

    def pop_screen(self) -> AwaitComplete:
        """Leave the screen on top; what others put off until its next refresh is still done."""
        leaving = self.screen
        popped = super().pop_screen()
        hand_over(leaving, self.screen)
        return popped

    def action_command_palette(self) -> None:
        """Open the list of all actions by name."""
        from b100tui.tui.palette import Palette

        if not isinstance(self.screen, Palette):
            self.push_screen(Palette())  # without an id: the last one may still be leaving

    def action_help_quit(self) -> None:
        """Say how to leave, for those who press ctrl+c."""
        self.notify("q quits; jobs go on", markup=False)

    def leave(self) -> None:
        """Remember the place and go."""
        main = self.main
        if main.trajectory is not None:
            place = Place(main.trajectory.row.run, main.position.step, main.position.reference)
            self.parting_words = remember(self.root, place)
        self.exit()

    def on_unmount(self) -> None:
        """Stop the picture threads."""
        if self.pipeline is not None:
            self.pipeline.close()

    def _handle_exception(self, error: Exception) -> None:
        """Keep the traceback in a log file; the screen is restored either way.

        Textual has no public place for this; harlequin and others hook in here too.
        """
        if self._exit and _tells_of_leaving(error):
            return
        from b100tui.workspace.crash import record_crash

        self.crashed = True
        self.crash = record_crash(error, ["explore", str(self.root)])
        super()._handle_exception(error)


def _tells_of_leaving(error: Exception) -> bool:
    """Say whether `error` is what a screen meets that is taken apart on the way out.

    NoMatches: a message came for a part that asks for another, which went first. NoScreen: a
    part's timer fired after its screen had gone. MountError: parts were about to be put into
    something that had just gone. Before `exit` each of them is a fault like any other.
    """
    from textual.css.query import NoMatches
    from textual.dom import NoScreen
    from textual.widget import MountError

    return isinstance(error, NoMatches | NoScreen | MountError)
