"""The report's page in a real browser without any network: it draws, and asks for nothing."""

import io
import shutil
import subprocess
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
from PIL import Image

from b100tui.report.page import Part, page_bytes
from b100tui.report.tables import Table
from b100tui.report.writing import Provenance

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
RED, BLUE = (200, 30, 30), (8, 48, 107)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="needs Chromium on the PATH")


def origin() -> Provenance:
    return Provenance(
        tool="b100",
        command="b100 report --out report",
        data="0" * 64,
        reference=1,
        steps=(5,),
        by="image",
        filter="",
        bounds={},
        seeds={},
        n={},
        left_out={},
        versions={},
    )


class Listening:
    """A server of this machine that notes every request."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        asked = self.asked

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                self.send_response(204)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                return

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.thread = Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def listening() -> Iterator[Listening]:
    one = Listening()
    yield one
    one.server.shutdown()
    one.server.server_close()
    one.thread.join()


def shot(page: Path, folder: Path) -> Image.Image:
    picture = folder / "shot.png"
    subprocess.run(
        [
            *(str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--window-size=900,900"),
            *(f"--user-data-dir={folder / 'profile'}", f"--screenshot={picture}", page.as_uri()),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=120,
        check=True,
    )
    return Image.open(picture).convert("RGB")


def test_pictures_and_tables_are_drawn_and_foreign_text_loads_nothing(
    tmp_path: Path, listening: Listening
) -> None:
    data = io.BytesIO()
    Image.new("RGB", (120, 60), RED).save(data, "PNG")
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="60">'
        f'<rect width="120" height="60" fill="rgb{BLUE}"/>'
        f'<image href="{listening.url}/in-svg" width="9" height="9"/></svg>'
    ).encode()
    evil = f'<img src="{listening.url}/evil"><script>fetch("{listening.url}/js")</script>'
    table = Table(name="t", title=evil, columns=(("a", "text"),), rows=((evil,),), notes=(evil,))
    parts = [
        Part(
            heading=evil,
            words=evil,
            pictures=(("png", data.getvalue(), evil), ("svg", svg, "drawn")),
            table=table,
        )
    ]
    page = tmp_path / "report.html"
    page.write_bytes(page_bytes(evil, parts, origin()))
    picture = shot(page, tmp_path)
    colours = {colour for _, colour in picture.getcolors(picture.width * picture.height) or ()}
    assert RED in colours and BLUE in colours
    assert listening.asked == []
