import { expect, it } from "vitest";

import { grantableRoles, mayChange } from "./roles";

const viewer = ["notes:read", "files:read", "search", "workflows:read"];
const admin = [...viewer, "notes:write", "files:write", "chat:use", "workflows:run", "members:manage", "settings:manage", "workflows:write"];
const somebody = (role: string, permissions: string[], operator = false) => ({ operator, permissions, team: { id: "t", name: "T", role } });

it("an admin makes everybody but owners", () => {
  const who = somebody("admin", admin);
  expect(grantableRoles(who)).toEqual(["viewer", "member", "admin"]);
  expect(mayChange(who, "owner")).toBe(false);
});

it("an owner, and who manages the company, makes owners", () => {
  expect(grantableRoles(somebody("owner", admin))).toContain("owner");
  expect(grantableRoles(somebody("admin", [...admin, "org:manage"]))).toContain("owner");
});

it("workers and translators come from an operator", () => {
  expect(grantableRoles(somebody("owner", admin))).not.toContain("worker");
  expect(grantableRoles(somebody("owner", admin, true))).toContain("translator");
});
