"""Reports and interchange with other programs."""
