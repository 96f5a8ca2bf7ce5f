"""Files that are kept: sessions, the library, backups."""
