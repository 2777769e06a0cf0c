import type { paths } from "@guildhall/console/api/schema";

export type Term = paths["/api/glossary"]["get"]["responses"]["200"]["content"]["application/json"]["items"][number];
