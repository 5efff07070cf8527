"""The actions that look and compare: zoom, pan, channels, differences, flicker, alignment."""

from msgspec.structs import replace
from textual import on, work
from textual.message import Message
from textual.timer import Timer

from b100tui.model.errors import B100Error
from b100tui.model.records import PictureRef, Step
from b100tui.model.text import clean_line
from b100tui.terminal.targets import Target, ViewSpec
from b100tui.tui.look import PAN_SHARE, Look
from b100tui.tui.screens.base import ExplorerState
from b100tui.tui.trajectory import Trajectory
from b100tui.tui.widgets.picture import PictureView
from b100tui.tui.widgets.picture_mouse import Dragged, Wheeled

FLICKER_SECONDS = 0.5
ALIGN_AFTER = 0.2
READING_AFTER = 0.004  # a picture that is not there by then is said to be read


class AlignmentRead(Message, bubble=False):
    """How `step` lies against `reference`, in words."""

    def __init__(self, step: PictureRef, reference: PictureRef, words: str) -> None:
        super().__init__()
        self.pair = (step, reference)
        self.words = words


class LookActions(ExplorerState):
    """What is shown in the picture's place, and the words about it."""

    def __init__(self, classes: str = "") -> None:
        super().__init__(classes)
        self.look = Look()
        self.pinned: tuple[str, Step] | None = None
        self._line: tuple[Target, ...] = ()
        self._viewed: tuple[ViewSpec, tuple[Target, ...]] | None = None
        self._flicker_timer: Timer | None = None
        self._align_timer: Timer | None = None
        self._reading_timer: Timer | None = None
        self._wanted: Target | None = None
        self._overdue = False
        self._alignment: tuple[tuple[PictureRef, PictureRef], str] | None = None

    @property
    def picture(self) -> PictureView:
        """The picture."""
        return self.query_one("#picture", PictureView)

    def take_line(self, trajectory: Trajectory, *, another: bool) -> None:
        """Take the steps of a run; `another` when it is not the one shown before."""
        self._line = tuple(target_of(step) for step in trajectory.steps)
        self._viewed = None
        if another:
            self.look = self.look.in_another_run()

    # What is shown

    def reference_step(self) -> Step | None:
        """Return the step that is compared with: the pinned one, else the run's reference."""
        if self.pinned is not None:
            return self.pinned[1]
        trajectory = self.trajectory
        if trajectory is None:
            return None
        return trajectory.at.get(self.position.usable_reference(trajectory))

    def shown_step(self) -> Step | None:
        """Return the step at the cursor."""
        return self.trajectory.at.get(self.position.step) if self.trajectory else None

    def show_picture(self) -> None:
        """Ask for the picture of the moment; newest wins, nothing waits here."""
        trajectory, step = self.trajectory, self.shown_step()
        if trajectory is None or step is None or not self._line:
            return
        reference = self.reference_step()
        other = reference.picture if reference is not None else None
        at = self.position.step - trajectory.first
        if self._flicker_timer is not None and step.picture is not None:
            plain = replace(self.look, compare="", difference="")
            pair = (
                Target(step.picture, "reference", view=plain.view(other, flickering=True)),
                Target(step.picture, f"step {step.step}", view=plain.flickering_step(other)),
            )
            which = 0 if self.flicker_reference else 1
            self._show(pair, which)
        elif 0 <= at < len(self._line):
            self._show(self._viewed_line(self.look.view(other)), at)
        self._want_alignment(step.picture, other)
        self.show_title()

    def _show(self, line: tuple[Target, ...], at: int) -> None:
        self._wanted = line[at]
        self.picture.show(line[at], line, at)
        if self._reading_timer is not None:
            self._reading_timer.stop()
        self._overdue = False
        self._reading_timer = self.set_timer(READING_AFTER, self._say_reading)

    def _say_reading(self) -> None:
        self._overdue = True
        if self.reading:
            self.show_title()

    @property
    def reading(self) -> bool:
        """Whether the wanted picture is still being read or made."""
        wanted, picture = self._wanted, self.picture
        return wanted is not None and not picture.words and picture.shown not in {None, wanted}

    def _viewed_line(self, view: ViewSpec) -> tuple[Target, ...]:
        if self._viewed is None or self._viewed[0] != view:
            self._viewed = view, tuple(replace(target, view=view) for target in self._line)
        return self._viewed[1]

    def picture_words(self) -> str:
        """Return what is seen: step, size, and how it is looked at."""
        step = self.shown_step()
        if step is None:
            return ""
        reference = self.reference_step()
        name = "" if reference is None else str(reference.step)
        if self.pinned is not None:
            name = f"{self.pinned[0].rsplit('/', 1)[-1]}@{name}"
        if self.flicker_reference:
            words = [f"flicker: reference {name}"]
        else:
            words = [f"step {step.step}"]
            if step.width and step.height and not self.look.words:
                words.append(f"{step.width}x{step.height}")
        words += self.look.words
        if self.pinned is not None:
            words.append(f"against {name}")
        note = self._note()
        return " · ".join([*words, note] if note else words)

    def _note(self) -> str:
        if self._overdue and self.reading:
            return "reading ..."
        step, reference, frame = self.shown_step(), self.reference_step(), self.picture.frame
        if frame is not None and frame.provisional:
            return frame.note
        if self.look.align and step is not None and reference is not None:
            pair = (step.picture, reference.picture)
            known = self._alignment
            return known[1] if known is not None and known[0] == pair else "aligning ..."
        return frame.note if frame is not None else ""

    def change(self, look: Look) -> None:
        """Look at the picture in another way."""
        self.look = look
        self.show_picture()

    # Zoom and pan

    def do_look_zoom_in(self) -> None:
        """One level nearer."""
        self._zoom(1)

    def do_look_zoom_out(self) -> None:
        """One level farther."""
        self._zoom(-1)

    def _zoom(self, by: int) -> None:
        look = self.look.zoomed(by)
        self.change(look)
        if look.zoom:
            self._pan(0, 0)  # the larger window may reach over the edge

    def do_look_keep(self) -> None:
        """Keep the loupe when another run is opened, or no longer."""
        self.look = replace(self.look, keep=not self.look.keep)
        kept = "is kept in other runs" if self.look.keep else "ends with this run"
        self.say(f"the loupe {kept}")
        self.show_title()

    def do_look_pan_left(self) -> None:
        """See what lies left; move the split line."""
        self._pan_or_line(-1)

    def do_look_pan_right(self) -> None:
        """See what lies right; move the split line."""
        self._pan_or_line(1)

    def do_look_pan_up(self) -> None:
        """See what lies above; up in the panel where nothing is zoomed."""
        if self.look.zoom:
            self._pan(0, -1)
        else:
            self.do_run_up()

    def do_look_pan_down(self) -> None:
        """See what lies below; down in the panel where nothing is zoomed."""
        if self.look.zoom:
            self._pan(0, 1)
        else:
            self.do_run_down()

    def _pan_or_line(self, by: int) -> None:
        if self.look.zoom:
            self._pan(by, 0)
        elif self.look.compare == "split":
            self.change(self.look.line_moved(by))

    def _pan(self, right: int, down: int) -> None:
        room = self._room()
        self._pan_by((right * room[0] / PAN_SHARE, down * room[1] / PAN_SHARE))

    def _pan_by(self, shift: tuple[float, float]) -> None:
        step = self.shown_step()
        if step is None or not step.width or not step.height or not self.look.zoom:
            return
        self.change(self.look.panned(shift, self._room(), (step.width, step.height)))

    def _room(self) -> tuple[int, int]:
        """Return what the area shows at this zoom, in source pixels."""
        width, height = self.picture.pixels
        if self.look.compare == "side":
            width //= 2
        zoom = max(self.look.zoom, 1)
        return width // zoom, height // zoom

    @on(Dragged)
    def _picture_dragged(self, event: Dragged) -> None:
        across, down = self.picture.cell_pixels
        zoom = max(self.look.zoom, 1)
        self._pan_by((-event.columns * across / zoom, -event.rows * down / zoom))

    @on(Wheeled)
    def _picture_wheeled(self, event: Wheeled) -> None:
        self._zoom(event.by)

    # Channels and residual

    def do_look_residual(self) -> None:
        """Show what a denoiser would take away, or no longer."""
        self.change(replace(self.look, residual=not self.look.residual))

    def do_look_channel(self) -> None:
        """The next channel."""
        self.change(self.look.next_channel())

    # Comparing

    def do_compare_side(self) -> None:
        """Side by side, split line, off."""
        if self._comparable():
            self.change(self.look.next_compare())

    def do_compare_difference(self) -> None:
        """Absolute difference, signed, off."""
        if self._comparable():
            self.change(self.look.next_difference())

    def _comparable(self) -> bool:
        reference = self.reference_step()
        if reference is None or reference.picture is None:
            self.say("there is no reference picture to compare with", bad=True)
            return False
        return True

    def do_compare_gain_up(self) -> None:
        """More gain."""
        self._amplify(1)

    def do_compare_gain_down(self) -> None:
        """Less gain."""
        self._amplify(-1)

    def _amplify(self, by: int) -> None:
        if not (self.look.difference or self.look.residual):
            self.say("gain is for differences (d) and the residual (n)")
            return
        self.change(self.look.amplified(by))

    def do_compare_pin(self) -> None:
        """Compare every run with the picture at the cursor, or no longer."""
        step = self.shown_step()
        if self.pinned is not None:
            self.pinned = None
            self.say("compared with the run's own reference again")
        elif step is None or step.picture is None or self.trajectory is None:
            self.say("a step without a picture cannot be the reference", bad=True)
        else:
            self.pinned = (self.trajectory.row.run, step)
            self.say(f"every run is compared with {self.trajectory.row.run}@{step.step} now")
        self.show_picture()

    def do_compare_align(self) -> None:
        """Take the drift out of comparisons, or no longer."""
        if not self.look.align and not self._comparable():
            return
        self.change(replace(self.look, align=not self.look.align))

    def _want_alignment(self, step: PictureRef | None, other: PictureRef | None) -> None:
        if self._align_timer is not None:
            self._align_timer.stop()
            self._align_timer = None
        if not self.look.align or step is None or other is None:
            return
        pair = (step, other)
        if self._alignment is None or self._alignment[0] != pair:
            self._align_timer = self.set_timer(ALIGN_AFTER, lambda: self._align(step, other))

    @work(thread=True, exclusive=True, group="align", exit_on_error=False)
    def _align(self, step: PictureRef, other: PictureRef) -> None:
        pipeline = self.explorer.pipeline
        if pipeline is None:
            return
        try:
            words = pipeline.alignment_in_words(step, other)
        except (B100Error, OSError) as error:
            words = clean_line(str(error))
        self.post_message(AlignmentRead(step, other, words))

    @on(AlignmentRead)
    def _alignment_read(self, event: AlignmentRead) -> None:
        self._alignment = (event.pair, event.words)
        self.show_title()

    # Flicker

    def do_compare_flicker(self) -> None:
        """Start or stop showing reference and step in turn in the same cells."""
        if self._flicker_timer is not None:
            self.stop_flicker()
        elif self.trajectory is not None and self._comparable():
            self.flicker_reference = True
            self._flicker_timer = self.set_interval(FLICKER_SECONDS, self.flicker_on)
        self.show_picture()

    def flicker_on(self) -> None:
        """Change between reference and step."""
        self.flicker_reference = not self.flicker_reference
        self.show_picture()

    def stop_flicker(self) -> bool:
        """End the flicker; True when there was one."""
        was = self._flicker_timer is not None
        if self._flicker_timer is not None:
            self._flicker_timer.stop()
            self._flicker_timer = None
        self.flicker_reference = False
        return was

    def look_back(self) -> bool:
        """Take one level of looking back; False where there is none."""
        before = self.look.back()
        if before is None:
            return False
        self.look = before
        return True

    # What the other parts do

    def show_title(self) -> None:
        """Draw the line above the picture; the screen's own part overrides it."""
        raise NotImplementedError

    def do_run_up(self) -> None:
        """Move up in the panel; the run part does."""
        raise NotImplementedError

    def do_run_down(self) -> None:
        """Move down in the panel; the run part does."""
        raise NotImplementedError


def target_of(step: Step) -> Target:
    """Return what the pipeline is asked for, or why there is no picture."""
    label = f"step {step.step}"
    if step.status == "ok" and step.picture is not None:
        return Target(step.picture, label)
    reason = step.reason or {"missing": "missing: there is no file for this step"}.get(
        step.status, step.status
    )
    return Target(None, label, clean_line(reason))
