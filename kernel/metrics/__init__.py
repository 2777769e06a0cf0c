"""What is counted and measured: in one process, of the process itself, and added up over several."""
