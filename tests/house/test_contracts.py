import subprocess
import sys
from pathlib import Path

from tests.house.tree import TOP


def test_a_room_imports_only_from_floors_below_it() -> None:
    program = Path(sys.executable).parent / "lint-imports"
    done = subprocess.run(
        [str(program), "--no-cache"], cwd=TOP, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout
