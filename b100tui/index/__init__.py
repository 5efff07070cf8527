"""The index: DuckDB generations, live tail, run-list snapshot, filters, queries, text search."""
