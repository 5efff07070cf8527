"""Pictures as pixels: decode, preview, crop, align, difference, residual, statistics."""
