import type { paths } from "../../api/schema";

export type Term = paths["/api/glossary"]["get"]["responses"]["200"]["content"]["application/json"]["items"][number];
