"""How folders become runs and steps: layouts, mapping files, scan preview. Only reads."""
