"""Where motion comes from: byte layouts, decoders, replayed and imported recordings."""
