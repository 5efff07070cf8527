"""The field's records and pure rules; standard library and msgspec only."""
