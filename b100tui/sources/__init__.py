"""How folders become runs: layouts, mapping files, the scan, and the reading of one step."""

from b100tui.sources.folder import find_mapping, scan_folder, write_mapping
from b100tui.sources.listing import walk
from b100tui.sources.pictures import open_picture
from b100tui.sources.reading import read_step

__all__ = ["find_mapping", "open_picture", "read_step", "scan_folder", "walk", "write_mapping"]
