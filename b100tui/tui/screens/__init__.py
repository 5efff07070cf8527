"""The screens: they hold state, run workers, and hand data to widgets."""
