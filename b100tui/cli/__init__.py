"""The command line: parse, call a room below, print.

Each module is one command group; no decisions live here.
"""
