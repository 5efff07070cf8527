"""Pictures as terminal bytes: probe, encoders, frame cache, link speed; knows no Textual."""
