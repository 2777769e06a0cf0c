/** Ways to sign in as their rows have them, and what a form makes of them. */

import { callRow } from "@guildhall/console/api/rows";

export interface Rule {
  claim: string;
  contains: string;
  role: string;
  team?: string;
}

export interface Way {
  id: string;
  kind: string;
  label: string;
  domains: string[];
  default_role: string | null;
  create_people: boolean;
  rules: Rule[];
  required: boolean;
  break_glass: string[];
  secrets_set: string[];
  addresses: Record<string, string>;
  [setting: string]: unknown;
}

export interface Kind {
  name: string;
  fields: Record<string, { title?: string; maxLength?: number }>;
  required: string[];
  secrets: string[];
}

export interface WayPage {
  items: Way[];
  next_cursor: string | null;
  kinds: Kind[];
}

/** Where ways are managed: of the company, or for everybody. */
export interface Place {
  path: string;
  rows: string;
}

export const COMPANY: Place = { path: "/company/sign-in", rows: "/api/org/sign-in" };
export const INSTANCE: Place = { path: "/instance/sign-in", rows: "/api/admin/sign-in" };
export const ROLES = ["viewer", "member", "admin", "owner", "translator", "reviewer", "localizer"];
export const NOBODY = "nobody";
/** What is offered first where there are several kinds: what most servers speak. */
export const USUAL = "oidc";
/** Longer texts are pasted, with their lines. */
export const LONG = 10_000;

export const keyOf = ({ rows }: Place) => ["sign-in-ways", rows];
export const linesOf = (text: string) => text.split(/[\n,]/).map((line) => line.trim()).filter(Boolean);

export const fetchWays = async (place: Place, cursor: Record<string, string> = {}) =>
  (await callRow({ method: "GET", path: `${place.rows}?${new URLSearchParams(cursor).toString()}` })) as WayPage;
export const fetchWay = async (place: Place, id: string) => (await callRow({ method: "GET", path: `${place.rows}/${id}` })) as Way;

/** What stands in a field of a kind; a secret that is set is not shown. */
export function entryOf(way: Way | null, name: string): string {
  const value = way?.[name];
  if (Array.isArray(value)) return value.join(" ");
  return typeof value === "string" ? value : "";
}

/** One rule a line: `groups = admins → admin`, and behind a slash the team. */
export const ruleLine = ({ claim, contains, role, team }: Rule) => `${claim} = ${contains} → ${role}${team ? ` / ${team}` : ""}`;

export function readRules(text: string): Rule[] | null {
  const rules = text.split("\n").map((line) => line.trim()).filter(Boolean).map(readRule);
  return rules.some((rule) => rule === null) ? null : (rules as Rule[]);
}

function readRule(line: string): Rule | null {
  const found = /^(.+?)\s*=\s*(.+?)\s*(?:→|->)\s*(\w+)(?:\s*\/\s*(\S+))?$/.exec(line);
  if (!found) return null;
  const [, claim = "", contains = "", role = "", team] = found;
  return { claim, contains, role, ...(team && { team }) };
}
