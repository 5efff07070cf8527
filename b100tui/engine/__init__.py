"""The step engine: plan, attempt, commit, retry, ledger.

Recipes and plans are data beside the code.
"""
