"""Widgets that draw lines of cells; each is reusable alone and knows no index."""
