"""The gates, in the order a request passes them. Every row passes all of them; no handler repeats one."""

from kernel.http.gates.authn import Authentication
from kernel.http.gates.feature import check_feature
from kernel.http.gates.permission import check_permission
from kernel.http.gates.tenancy import check_suspension

__all__ = ["Authentication", "check_feature", "check_permission", "check_suspension"]
