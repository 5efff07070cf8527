"""Image editors, one adapter a file behind one protocol."""
