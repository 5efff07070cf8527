"""An app that is stopped and continued (SIGCONT) amid its start, and ends at once."""

import os
import signal

from textual.app import App
from textual.drivers import linux_driver
from textual.drivers._writer_thread import WriterThread

from b100tui.tui.driver import Link


class Continued(WriterThread):
    """The first thing that a start makes: the line settings are still those of before."""

    sent = False

    def start(self) -> None:
        super().start()
        if not Continued.sent:
            Continued.sent = True
            os.kill(os.getpid(), signal.SIGCONT)


class Short(App[None]):
    def on_mount(self) -> None:
        self.call_after_refresh(self.exit)


if __name__ == "__main__":
    linux_driver.WriterThread = Continued  # type: ignore[attr-defined]
    Short(driver_class=Link).run()
    raise SystemExit(0 if Continued.sent else 1)
