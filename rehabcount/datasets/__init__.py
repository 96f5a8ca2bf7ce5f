"""One reader per public corpus. No corpus lies in the repository; each reader says where its own comes from."""
