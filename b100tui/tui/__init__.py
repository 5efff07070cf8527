"""The Textual explorer: screens, widgets and one registry of actions; no decisions live here."""
