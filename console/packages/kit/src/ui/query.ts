/** Filters of a list, kept in the address: a link shows the same list again. */

import { useCallback, useMemo } from "react";
import { useSearch, useLocation } from "wouter";

export type Filters = Record<string, string>;

export function useFilters(): [Filters, (change: Partial<Filters>) => void] {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const filters = useMemo(() => Object.fromEntries(new URLSearchParams(search)), [search]);
  const change = useCallback(
    (changed: Partial<Filters>) => {
      const next = new URLSearchParams(search);
      for (const [name, value] of Object.entries(changed)) {
        if (value) next.set(name, value);
        else next.delete(name);
      }
      const text = next.toString();
      navigate(text ? `${path}?${text}` : path, { replace: true });
    },
    [search, path, navigate],
  );
  return [filters, change];
}
