"""One reader per public corpus. The corpora are not in the repository; each reader says where to get its own."""
