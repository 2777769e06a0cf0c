import { useCallback, useEffect, useMemo, useState, type ReactNode } from "react";

import { Contained } from "@guildhall/console/screens/Boundary";
import type { RecentWork } from "@guildhall/console/screens/define";
import { useScreens, type ShownScreen } from "@guildhall/console/screens/shown";

const MAX_SHOWN = 8;
type Hook = () => RecentWork;
type Found = Record<string, RecentWork>;

/** What changed last, newest first, of all screens that know of something; `collectors` have to be shown. */
export function useRecentWork(): { work: RecentWork; collectors: ReactNode } {
  const { shown } = useScreens();
  const [found, setFound] = useState<Found>({});
  const put = useCallback((path: string, work: RecentWork) => setFound((held) => ({ ...held, [path]: work })), []);
  const sources = useMemo(() => shown.filter(({ recent }) => recent), [shown]);
  const own = sources.flatMap(({ path }) => found[path] ?? []);
  const all = own.flatMap(({ items }) => items).sort((one, other) => other.at.localeCompare(one.at));
  const work: RecentWork = {
    items: all.slice(0, MAX_SHOWN),
    isPending: own.length < sources.length || own.some(({ isPending }) => isPending),
    error: own.find(({ error }) => error)?.error ?? null,
    refetch: () => own.forEach(({ refetch }) => refetch()),
  };
  return { work, collectors: sources.map((screen) => <Source key={screen.path} screen={screen} put={put} />) };
}

const NOTHING: RecentWork = { items: [], isPending: false, error: null, refetch: () => undefined };

interface SourceProps {
  screen: ShownScreen;
  put: (path: string, work: RecentWork) => void;
}

function Source({ screen: { path, recent }, put }: SourceProps) {
  const [hook, setHook] = useState<{ use: Hook } | null>(null);
  const store = useCallback((work: RecentWork) => put(path, work), [path, put]);
  useEffect(() => {
    let isHere = true;
    // What cannot be loaded has nothing to say here.
    recent?.().then(({ default: use }) => isHere && setHook({ use }), () => isHere && store(NOTHING));
    return () => void (isHere = false);
  }, [recent, store]);
  return (
    hook && (
      <Contained>
        <Collector use={hook.use} store={store} />
      </Contained>
    )
  );
}

function Collector({ use, store }: { use: Hook; store: (work: RecentWork) => void }) {
  const work = use();
  const { items, isPending, error } = work;
  useEffect(() => store(work), [items, isPending, error]);
  return null;
}
