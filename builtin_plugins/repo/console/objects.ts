/** Objects of the repository, as lists and pages of them are loaded and kept. */

import { useInfiniteQuery, type InfiniteData, type QueryClient } from "@tanstack/react-query";

import { api, dataOf } from "@guildhall/console/api/client";
import { useLive } from "@guildhall/console/api/live";
import type { paths } from "@guildhall/console/api/schema";
import type { Order, Sort } from "./looks";
import { insertObject, type Page } from "./tree";

type Json<T> = T extends { content: { "application/json": infer Body } } ? Body : never;

export type StoredObject = Json<paths["/api/repo-obj/{id}"]["get"]["responses"]["200"]>;
export type Version = StoredObject["versions"][number];
export type Visibility = StoredObject["visibility"];
export type TextStatus = StoredObject["text_status"];
export type View = "all" | "shared" | "company" | "deleted";

export const PAGE_SIZE = 200;
export const WRITE = "files:write";
export const REMOVE = "files:delete";
export const MANAGE = "files:manage";

export interface Sorting {
  sort: Sort;
  order: Order;
}

export const listKey = (view: View, prefix: string, { sort, order }: Sorting) => ["files", view, prefix, sort, order] as const;
export const objectKey = (id: string) => ["file", id] as const;

const QUERIES: Record<View, object> = {
  all: { delimiter: "/" },
  shared: { shared: "1" },
  company: { scope: "org", delimiter: "/" },
  deleted: { deleted: "1" },
};

export async function loadPage(view: View, prefix: string, cursor: { cursor?: string }, sorting?: Sorting): Promise<Page> {
  const query = { ...QUERIES[view], ...cursor, ...sorting, prefix, limit: PAGE_SIZE };
  return dataOf(api.GET("/api/repo", { params: { query } }));
}

const MAX_REFRESHED = 3;

/** A folder, page by page. A long one is not loaded anew whenever somebody comes back to the window. */
export function useFolder(view: View, prefix: string, { sort, order }: Sorting) {
  useLive("/api/repo", ["files"]);
  return useInfiniteQuery({
    queryKey: listKey(view, prefix, { sort, order }),
    queryFn: ({ pageParam }) => loadPage(view, prefix, pageParam ? { cursor: pageParam } : {}, { sort, order }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor,
    refetchOnWindowFocus: ({ state }) => (state.data?.pages.length ?? 0) <= MAX_REFRESHED,
  });
}

/** All that lies below a prefix and that the reader may see, also in the folders there; of very much the first `enough` or more. */
export async function loadAllBelow(prefix: string, enough = Infinity): Promise<StoredObject[]> {
  const found: StoredObject[] = [];
  for (let cursor: string | null = ""; cursor !== null && found.length < enough; ) {
    const query: object = { prefix, limit: PAGE_SIZE, ...(cursor && { cursor }) };
    const page: Page = await dataOf(api.GET("/api/repo", { params: { query } }));
    found.push(...page.items);
    cursor = page.next_cursor;
  }
  return found;
}

/** An object; with what its reader sees through their role in the company. */
export function loadObject(id: string, mayReadCompany: boolean): Promise<StoredObject> {
  const query = mayReadCompany ? ({ scope: "org" } as const) : {};
  return dataOf(api.GET("/api/repo-obj/{id}", { params: { path: { id }, query } }));
}

export const may = (object: StoredObject, right: string) => object.permissions.includes(right);

type Pages = InfiniteData<Page>;

/** Puts an object into every list that is loaded and would show it, and into its own page. */
export function keepObject(client: QueryClient, object: StoredObject): void {
  client.setQueryData(objectKey(object.id), (before: StoredObject | undefined) => before && object);
  for (const [key, data] of client.getQueriesData<Pages>({ queryKey: ["files"] })) {
    const [, view, prefix, sort, order] = key as ReturnType<typeof listKey>;
    const isByName = sort === "name" && order === "asc";
    if (data) client.setQueryData(key, { ...data, pages: insertObject(data.pages, object, prefix, view === "all", isByName) });
  }
}

/** Takes objects out of every list that is loaded. */
export function dropObjects(client: QueryClient, ids: ReadonlySet<string>): void {
  client.setQueriesData<Pages>({ queryKey: ["files"] }, (data) =>
    data && {
      ...data,
      pages: data.pages.map((page) => ({ ...page, items: page.items.filter(({ id }) => !ids.has(id)) })),
    },
  );
}
