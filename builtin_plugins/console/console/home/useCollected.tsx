import type { LucideIcon } from "lucide-react";
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from "react";

import { Contained } from "@guildhall/console/screens/Boundary";
import type { Load } from "@guildhall/console/screens/define";
import { useScreens } from "@guildhall/console/screens/shown";

type Hook<Given, Found> = (given: Given) => Found;

interface Collected<Found> {
  /** In the order of the screens, with the icon of each. */
  found: { icon: LucideIcon; said: Found }[];
  /** Whether some screen has not said anything yet. */
  isPending: boolean;
  collectors: ReactNode;
}

/** What the hooks of screens find for this page, each in a part of its own; `collectors` have to be shown. */
export function useCollected<Given, Found>(part: "recent" | "waiting", given: Given): Collected<Found> {
  const { shown } = useScreens();
  const [found, setFound] = useState<Record<string, Found | null>>({});
  const put = useCallback((path: string, one: Found | null) => setFound((held) => ({ ...held, [path]: one })), []);
  const sources = useMemo(() => shown.flatMap(({ path, icon, [part]: load }) => (load ? [{ path, icon, load: load as unknown as Load<Hook<Given, Found>> }] : [])), [shown, part]);
  return {
    found: sources.flatMap(({ path, icon }) => { const said = found[path]; return said ? [{ icon, said }] : []; }),
    isPending: sources.some(({ path }) => found[path] === undefined),
    collectors: sources.map(({ path, load }) => <Source key={path} path={path} load={load} given={given} put={put} />),
  };
}

interface SourceProps<Given, Found> {
  path: string;
  load: Load<Hook<Given, Found>>;
  given: Given;
  put: (path: string, found: Found | null) => void;
}

function Source<Given, Found>({ path, load, given, put }: SourceProps<Given, Found>) {
  const [hook, setHook] = useState<{ use: Hook<Given, Found> } | null>(null);
  const store = useCallback((found: Found | null) => put(path, found), [path, put]);
  useEffect(() => {
    let isHere = true;
    // What cannot be loaded has nothing to say here.
    load().then(({ default: use }) => isHere && setHook({ use }), () => isHere && store(null));
    return () => void (isHere = false);
  }, [load, store]);
  return (
    hook && (
      <Contained>
        <Collector use={hook.use} given={given} store={store} />
      </Contained>
    )
  );
}

function Collector<Given, Found>({ use, given, store }: { use: Hook<Given, Found>; given: Given; store: (found: Found) => void }) {
  const found = use(given);
  // A hook may well answer with the same in a new object each time.
  const said = JSON.stringify(found, (key, value: unknown) => (key === "icon" ? undefined : value instanceof Error ? value.message : value));
  const latest = useRef(found);
  latest.current = found;
  useEffect(() => store(latest.current), [said, store]);
  return null;
}
