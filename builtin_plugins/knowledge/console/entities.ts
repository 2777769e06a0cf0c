/** Entities: their types, and how they are asked for. */

import { CalendarDays, CircleDot, Building2, Flag, MapPin, Package, User, type LucideIcon } from "lucide-react";

import { api, dataOf } from "@guildhall/console/api/client";
import type { paths } from "@guildhall/console/api/schema";

export type Entity = paths["/api/kg/entities/{id}"]["get"]["responses"]["200"]["content"]["application/json"];
export type Neighbourhood = paths["/api/kg/entities/{id}/graph"]["get"]["responses"]["200"]["content"]["application/json"];
export type EntityType = Entity["type"];

export const TYPES = ["person", "organization", "place", "product", "event", "date", "other"] as const satisfies EntityType[];
export const isType = (text: string | undefined): text is EntityType => TYPES.some((type) => type === text);

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
  type?: string | undefined;
  scope: Scope;
}

export function loadEntities({ q, type, scope }: Wanted, cursor: { cursor?: string }) {
  const query = { ...(q && { q }), ...(isType(type) && { type }), scope, ...cursor };
  return dataOf(api.GET("/api/kg/entities", { params: { query } }));
}

export const loadEntity = (id: string, scope: Scope) =>
  dataOf(api.GET("/api/kg/entities/{id}", { params: { path: { id }, query: { scope } } }));

export const loadNeighbourhood = (id: string, depth: number, scope: Scope) =>
  dataOf(api.GET("/api/kg/entities/{id}/graph", { params: { path: { id }, query: { depth, scope } } }));

/** Where an entity is shown, in the same scope. */
export const pathOf = (id: string, scope: Scope) => `/knowledge/${id}${scope === "org" ? "?scope=org" : ""}`;
