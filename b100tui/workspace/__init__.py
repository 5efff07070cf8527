"""Where things live on disk: places, settings, append-only parts, atomic writes, locks."""
