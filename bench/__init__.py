"""How fast we are, as ratios against peers measured in the same run. `python -m bench [subject …]`."""
