/** Prospects: how a person is called, and how they would be called here. */

import type { paths } from "@guildhall/console/api/schema";

type Wire = paths["/api/beta/prospects/{id}"]["get"]["responses"]["200"]["content"]["application/json"];

/** The answers are by the names of the form's fields, whichever those were. */
export type Prospect = Omit<Wire, "fields"> & { fields: Record<string, unknown> };

export const STATUSES = ["captured", "accepted", "declined"] as const satisfies Prospect["status"][];
export const isStatus = (text: string | undefined): text is Prospect["status"] => STATUSES.some((status) => status === text);

const ADDRESS = /^[^\s@]+@[^\s@]+$/;
const NAMES = ["name", "full_name", "first_name"];

/** Their answers as texts, by the names of the fields. */
export function answersOf({ fields }: Pick<Prospect, "fields">): [string, string][] {
  return Object.entries(fields).map(([name, value]) => [name, typeof value === "boolean" ? (value ? "✓" : "–") : String(value)]);
}

export function emailOf(prospect: Pick<Prospect, "fields">): string | null {
  const answers = answersOf(prospect);
  const named = answers.find(([name, value]) => name === "email" && ADDRESS.test(value));
  return (named ?? answers.find(([, value]) => ADDRESS.test(value)))?.[1] ?? null;
}

export function nameOf(prospect: Pick<Prospect, "fields">): string | null {
  const answers = new Map(answersOf(prospect));
  const found = NAMES.map((name) => answers.get(name)?.trim()).find(Boolean);
  return found ?? null;
}

/** What they are called in a list: their name, else their address, else the first answer. */
export function titleOf(prospect: Pick<Prospect, "fields" | "id">): string {
  return nameOf(prospect) ?? emailOf(prospect) ?? answersOf(prospect)[0]?.[1] ?? prospect.id;
}

/** A username to begin with: what stands before the @, in the characters that usernames have. */
export function usernameFor(prospect: Pick<Prospect, "fields">): string {
  const [local = ""] = (emailOf(prospect) ?? "").split("@");
  return local.normalize("NFKC").toLowerCase().replace(/\+.*$/, "").replace(/[^a-z0-9._-]+/g, "-").replace(/^[-._]+|[-._]+$/g, "").slice(0, 64);
}
