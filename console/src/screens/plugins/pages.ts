/** The pages that plugins add to the console, as far as this person may use them. */

import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";

import { api, dataOf } from "../../api/client";
import type { paths } from "../../api/schema";
import { useTexts } from "../../i18n/texts";
import { useIdentity } from "../../session/identity";
import type { Schema } from "./schema";

export type ListedPage = paths["/api/ui"]["get"]["responses"]["200"]["content"]["application/json"]["items"][number];

export interface ShownColumn {
  field: string;
  label: string;
  schema: Schema;
}

export interface TableSpec {
  kind: "table";
  title: string;
  source: string;
  columns: ShownColumn[];
  empty: string;
}

export interface FormSpec {
  kind: "form";
  title: string;
  method: string;
  target: string;
  schema: Schema;
  submit: string;
  done: string;
  filled_from: string | null;
  answer: ShownColumn[];
}

export interface BundleSpec {
  kind: "bundle";
  title: string;
  routes: { method: string; path: string }[];
}

export type PartSpec = TableSpec | FormSpec | BundleSpec;

export function usePluginPages() {
  const { user, team } = useIdentity();
  return useQuery({
    queryKey: ["plugin-pages", user.id, team.id],
    queryFn: () => dataOf(api.GET("/api/ui")),
    staleTime: 60_000,
  });
}

/** The parts of a page; which fields one has follows from its kind. */
export const partsOf = (page: ListedPage) => page.parts as unknown as PartSpec[];

/** A plugin's own words: a key of its catalog in the reader's language, anything else as it is. */
export function usePluginText(): (text: string) => string {
  const { t, has } = useTexts();
  return useCallback((text: string) => (has(text) ? t(text) : text), [t, has]);
}
