import { api, dataOf } from "@guildhall/console/api/client";

interface UsageQuery {
  by?: "user" | "model" | "token" | "day";
  from?: string;
  user?: string;
  limit?: number;
  cursor?: string;
}
interface UsagePage {
  items: object[];
  next_cursor: string | null;
}

/** As JSON; the same address answers a table too. */
export const loadUsage = (query: UsageQuery = {}) => dataOf(api.GET("/api/usage", { params: { query } })) as Promise<UsagePage>;

export async function loadUsageTable(query: UsageQuery): Promise<string> {
  const answer = api.GET("/api/usage", { params: { query }, headers: { Accept: "text/csv" }, parseAs: "text" });
  return String(await dataOf(answer));
}
