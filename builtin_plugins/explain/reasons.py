"""Which gate a refusal comes from, by which rule, and who can lift it, in words."""

from collections.abc import Mapping, Sequence
from typing import Literal, get_args
from urllib.parse import urlencode

from guildhall_sdk import Permission, Principal, Problem
from guildhall_sdk.principal import ORG_ROLES, TEAM_ROLES, role_includes

Gate = Literal["rate", "suspension", "feature", "permission", "scope", "quota"]
#: In the order in which a request passes them.
GATES: tuple[Gate, ...] = get_args(Gate)

#: The refusal of what a newer version of a plugin added, until an operator approves it.
HELD = "plugin_held"
#: The gate by the code of a refusal.
_BY_CODE: Mapping[str, Gate] = {
    "rate_limited": "rate",
    "person_suspended": "suspension",
    "feature_disabled": "feature",
    HELD: "feature",
    "tool_disabled": "feature",
    "permission_denied": "permission",
    "session_required": "scope",
    "quota_exceeded": "quota",
    "concurrency_exceeded": "quota",
    "queue_full": "quota",
}
#: The member of a refusal that names its rule; else its code does.
_RULES = ("permission", "feature", "tool", "dimension")

SWITCHES = "settings:manage"
OVER_COMPANY = "org:manage"
OVER_MEMBERS = "members:manage"
#: Where who may reads what each gate says.
ADDRESS = "/api/explain"
MAX_PATH = 2048
OVER_INSTANCE = "instance:manage"
BY_ITSELF = "It passes by itself: `Retry-After` says when."
OWN_SCOPE = "You can: sign in, or use a token whose scope names it."


class Reasons:
    """Implements the SDK's `RefusalReasons`."""

    def __init__(self, permissions: Sequence[Permission]) -> None:
        self._permissions = {one.name: one for one in permissions}

    def of(self, refusal: Problem, caller: Principal | None, method: str, path: str) -> Mapping[str, str]:
        gate = _BY_CODE.get(refusal.code)
        if gate is None:
            return {}
        rule = next((str(refusal.extras[name]) for name in _RULES if name in refusal.extras), refusal.code)
        if gate == "permission" and self.is_out_of_scope(rule, caller):
            gate = "scope"
        found = {"gate": gate, "rule": rule, "who": self.lifted_by(gate, rule, refusal.code)}
        if gate != "rate" and caller is not None and caller.may(OVER_MEMBERS) and len(path) <= MAX_PATH:
            asked = {"method": method, "path": path, **({"limit": rule} if gate == "quota" else {})}
            found["why"] = f"{ADDRESS}?{urlencode(asked, errors='replace')}"
        return found

    def is_out_of_scope(self, permission: str, caller: Principal | None) -> bool:
        """Tells whether the caller's roles hold a permission that their credential's scope leaves out."""
        if caller is None or caller.scope_allows(permission):
            return False
        declared = self._permissions.get(permission)
        return caller.operator or (declared is not None and self._holds(caller, declared))

    def lifted_by(self, gate: Gate, rule: str, code: str = "") -> str:
        """Returns who can lift a gate's refusal."""
        match gate:
            case "rate":
                return BY_ITSELF
            case "suspension":
                return f"Who manages the company can: {self.holders(OVER_COMPANY)}."
            case "feature" if HELD in (rule, code):
                return f"Who has {OVER_INSTANCE} approves it: {self.holders(OVER_INSTANCE)}."
            case "feature":
                return f"Who has {SWITCHES} turns it on for the team: {self.holders(SWITCHES)}."
            case "permission" if rule in self._permissions:
                return f"Ask for a role that holds it: {self.holders(rule)}."
            case "permission":
                return "Whoever it belongs to can give you a right to it."
            case "scope":
                return OWN_SCOPE
        if code in ("concurrency_exceeded", "queue_full"):
            return "It passes by itself, when some of what is under way is done."
        return f"Who has {OVER_INSTANCE} sets limits: {self.holders(OVER_INSTANCE)}."

    def holders(self, permission: str) -> str:
        """Returns in words which roles hold a permission."""
        declared = self._permissions.get(permission)
        held = [] if declared is None else declared.roles
        team = [role for role in TEAM_ROLES if any(role_includes(role, one) for one in held)]
        company = [role for role in ORG_ROLES if any(role_includes(role, one) for one in held)]
        return " or ".join(
            [
                *([f"{' or '.join(team)} of the team"] if team else []),
                *([f"{' or '.join(company)} of the company"] if company else []),
                "an operator of this instance",
            ]
        )

    def _holds(self, caller: Principal, permission: Permission) -> bool:
        roles = (caller.role, caller.org_role or "")
        return any(role_includes(role, one) for role in roles for one in permission.roles)
