/** Which team roles somebody may give: as the server judges it, so that none is offered and refused. */

import type { Identity } from "../session/identity";

export const TEAM_ROLES = ["viewer", "member", "admin", "owner", "translator", "reviewer", "localizer", "worker"] as const;
export type TeamRole = (typeof TEAM_ROLES)[number];

/** The highest permission of each: whoever holds it holds the role's others too. */
const NEEDS: Partial<Record<TeamRole, readonly string[]>> = {
  viewer: ["notes:read", "files:read", "search", "workflows:read"],
  member: ["notes:write", "files:write", "chat:use", "workflows:run"],
  admin: ["members:manage", "settings:manage", "workflows:write"],
  owner: ["members:manage", "settings:manage", "workflows:write"],
  translator: ["localization:translate"],
  reviewer: ["localization:review"],
  localizer: ["localization:manage"],
};

type Who = Pick<Identity, "operator" | "permissions" | "team">;

export function grantableRoles(who: Who): TeamRole[] {
  if (who.operator) return [...TEAM_ROLES];
  return TEAM_ROLES.filter((role) => {
    const needs = NEEDS[role];
    if (!needs?.every((permission) => who.permissions.includes(permission))) return false;
    return role !== "owner" || isOverOwners(who);
  });
}

/** Whether they may change the role of somebody who has this one. */
export const mayChange = (who: Who, role: string): boolean => role !== "owner" || isOverOwners(who);

function isOverOwners({ operator, permissions, team }: Who): boolean {
  return operator || team.role === "owner" || permissions.includes("org:manage");
}
