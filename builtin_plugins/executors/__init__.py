"""Executors: where they live, who may use them, how they are, and one turn with the model behind one."""
