"""Whether something lies over a picture, so that its cells are not its own."""

from textual.widget import Widget


def covered(view: Widget) -> bool:
    """Say whether cells of `view` may belong to something else: pop-ups, toasts, edges."""
    if not view.is_attached or view.app.screen is not view.screen:
        return True
    region = view.region
    if view.screen.region.intersection(region) != region:
        return True
    return any(
        widget.display and widget.region.overlaps(region)
        for widget in view.screen.query("Toast, Tooltip")
    )
