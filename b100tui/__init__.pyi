from b100tui.api import B100Error as B100Error
from b100tui.api import Data as Data
from b100tui.api import StoreError as StoreError
from b100tui.api import open as open
from b100tui.api import to_arrow as to_arrow

__version__: str
