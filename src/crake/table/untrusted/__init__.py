"""Reading untrusted files in a child process with limits."""
