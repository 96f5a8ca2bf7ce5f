"""What remains afterwards: session files."""
