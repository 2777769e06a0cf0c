/** The types of entities, and those that lead. */

import type { EntityType } from "./entities";

export const TYPES = ["person", "organization", "place", "product", "event", "date", "other"] as const satisfies EntityType[];
export const isType = (text: string | undefined): text is EntityType => TYPES.some((type) => type === text);

/** What leads: neither dates nor what is none of the others, such as lines of a log. */
export const LEADING: readonly EntityType[] = ["person", "organization", "place", "product", "event"];

/** The types that an address names; those that lead where it names none. */
export function typesIn(text: string | undefined): readonly EntityType[] {
  const named = (text ?? "").split(",").filter(isType);
  return named.length > 0 ? named : LEADING;
}
