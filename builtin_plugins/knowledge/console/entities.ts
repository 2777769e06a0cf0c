/** Entities: their types, and how they are asked for. */

import { CalendarDays, CircleDot, Building2, Flag, MapPin, Package, User, type LucideIcon } from "lucide-react";

import { api, dataOf } from "@guildhall/console/api/client";
import type { paths } from "@guildhall/console/api/schema";

export type Entity = paths["/api/kg/entities/{id}"]["get"]["responses"]["200"]["content"]["application/json"];
export type Neighbourhood = paths["/api/kg/entities/{id}/graph"]["get"]["responses"]["200"]["content"]["application/json"];
export type Overview = paths["/api/kg/graph"]["get"]["responses"]["200"]["content"]["application/json"];
export type EntityType = Entity["type"];

export { isType, LEADING, TYPES, typesIn } from "./leading";

export const ICONS: Record<EntityType, LucideIcon> = {
  person: User,
  organization: Building2,
  place: MapPin,
  product: Package,
  event: Flag,
  date: CalendarDays,
  other: CircleDot,
};

export type Scope = "team" | "org";

export const MAX_DEPTH = 3;

export interface Wanted {
  q?: string | undefined;
  types: readonly EntityType[];
  scope: Scope;
}

/** By a part of a name whatever it is, or else the most connected of some types. */
export function loadEntities({ q, types, scope }: Wanted, cursor: { cursor?: string }) {
  const query = { ...(q ? { q } : { order: "connected" as const, types: types.join() }), scope, ...cursor };
  return dataOf(api.GET("/api/kg/entities", { params: { query } }));
}

export const loadOverview = (types: readonly EntityType[], scope: Scope, limit: number) =>
  dataOf(api.GET("/api/kg/graph", { params: { query: { types: types.join(), scope, limit } } }));

export const loadEntity = (id: string, scope: Scope) =>
  dataOf(api.GET("/api/kg/entities/{id}", { params: { path: { id }, query: { scope } } }));

export const loadNeighbourhood = (id: string, depth: number, scope: Scope) =>
  dataOf(api.GET("/api/kg/entities/{id}/graph", { params: { path: { id }, query: { depth, scope } } }));

/** Where an entity is shown, in the same scope. */
export const pathOf = (id: string, scope: Scope) => `/knowledge/${id}${scope === "org" ? "?scope=org" : ""}`;
