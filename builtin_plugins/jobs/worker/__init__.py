"""A pull worker: claims jobs of a server over HTTP, runs them on this machine, reports how they ended."""
