import { useInfiniteQuery, type QueryKey } from "@tanstack/react-query";

interface Page<Item> {
  items: Item[];
  next_cursor: string | null;
}

/** A list that comes page by page; `load` gets the cursor of the next one, none for the first. */
export function usePages<Item>(key: QueryKey, load: (cursor: { cursor?: string }) => Promise<Page<Item>>, enabled = true) {
  return useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) => load(pageParam ? { cursor: pageParam } : {}),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor,
    enabled,
    // What was empty may not be any more, and says so to nobody.
    refetchOnMount: ({ state }) => (state.data?.pages[0]?.items.length === 0 ? "always" : true),
  });
}
