"""The page that is served where an experience has no template of its own, and the browser's side of it."""
