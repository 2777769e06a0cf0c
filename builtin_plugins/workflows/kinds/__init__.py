"""The kinds of steps that this plugin declares."""

from builtin_plugins.workflows.kinds.approve import APPROVE
from builtin_plugins.workflows.kinds.http import HTTP
from builtin_plugins.workflows.kinds.transform import TRANSFORM
from builtin_plugins.workflows.kinds.wait import WAIT
from builtin_plugins.workflows.kinds.workflow import WORKFLOW

KINDS = (APPROVE, WAIT, WORKFLOW, TRANSFORM, HTTP)
