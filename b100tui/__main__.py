"""`python -m b100tui` is `b100`."""

import sys

from b100tui.cli.main import main

sys.exit(main())
