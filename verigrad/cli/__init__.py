"""The command line, one file a command; see `main`. Left out: everything but words in and words out."""
