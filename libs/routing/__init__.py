"""Patterns of paths: plain segments, `:name` for one of any text, `*name` for the rest."""

from libs.routing.paths import NearPaths, covers, path_fault
from libs.routing.tree import PathTree, path_params

__all__ = ["NearPaths", "PathTree", "covers", "path_fault", "path_params"]
