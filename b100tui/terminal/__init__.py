"""The terminal as a picture device: what it can show, and pictures as bytes for it.

No Textual here. `probe` and `facts` import nothing heavy; the encoders and `pipeline` import
Pillow inside their functions, which run in worker threads.
"""
