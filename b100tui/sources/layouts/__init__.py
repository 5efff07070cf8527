"""One file for each way in which folders come: a name, its signs, and what it takes."""
