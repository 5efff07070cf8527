"""The explorer: screens, widgets and one registry of actions over the rooms below.

The UI thread never decodes, queries or waits: workers post messages, handlers own state.
"""
