/** What the palette shows for what was typed: places, commands and what the search found, in groups. */

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { CornerDownRight, Puzzle, type LucideIcon } from "lucide-react";
import { useDeferredValue, useMemo, useState } from "react";
import { useLocation } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { useTexts } from "@guildhall/console/i18n/texts";
import { usePluginText, useUi } from "@guildhall/console/screens/pages";
import { useScreens } from "@guildhall/console/screens/shown";
import { useMay } from "@guildhall/console/session/identity";
import { offersHere } from "@guildhall/console/ui/offers";
import { useCommands } from "./commands";
import { matching } from "./matching";
import { usePlaces } from "./shownScreens";

export interface Entry {
  id: string;
  name: string;
  icon: LucideIcon;
  act: () => void;
  /** Stands muted at the end: what kind of thing this is. */
  detail?: string;
  /** The words around what was found, the hit between U+0001 and U+0002. */
  snippet?: string;
  keys?: readonly string[];
}

export interface EntryGroup {
  id: string;
  name: string;
  entries: Entry[];
}

const MAX_HITS = 8;

export function usePaletteGroups(typed: string, onHelp: () => void): { groups: EntryGroup[]; isSearching: boolean } {
  const { t, has } = useTexts();
  const may = useMay();
  const places = usePlaces();
  const { shown } = useScreens();
  const commands = useCommands(onHelp);
  // As it was when the palette was opened, which takes the focus.
  const [offers] = useState(offersHere);
  const [, navigate] = useLocation();
  const say = usePluginText();
  const pluginPages = useUi().data?.items;
  // Only the search may lag behind the typing: Enter takes what fits all that was typed.
  const sought = useDeferredValue(typed);
  const isSearching = typed.length > 1 && may("search");
  const hits = useQuery({
    queryKey: ["search", sought],
    queryFn: ({ signal }) => dataOf(api.GET("/api/search", { params: { query: { q: sought, limit: MAX_HITS } }, signal })),
    enabled: isSearching && sought.length > 1,
    placeholderData: keepPreviousData,
  });
  const found = isSearching ? hits.data?.items : undefined;
  const groups = useMemo(() => {
    const goTo: Entry[] = matching(places, ({ title }) => title, typed).map(({ path, title, icon, letter }) => ({
      id: path,
      name: title,
      icon,
      act: () => navigate(path),
      ...(letter && { keys: ["g", letter] }),
    }));
    const offered = (pluginPages ?? []).filter((page) => page.in_navigation || page.demo);
    for (const { address, title } of matching(offered, (page) => say(page.title), typed)) {
      goTo.push({ id: address, name: say(title), icon: Puzzle, act: () => navigate(address) });
    }
    // What no screen opens is not shown.
    const hitEntries: Entry[] = (found ?? []).flatMap(({ type, id, title, snippet }) => {
      const opener = shown.find(({ opens }) => opens.includes(type));
      if (!opener) return [];
      const detail = has(`palette.type_${type}`) ? { detail: t(`palette.type_${type}`) } : {};
      return [{ id, name: title, icon: opener.icon, snippet, ...detail, act: () => navigate(`${opener.path}/${id}`) }];
    });
    const fitting = matching(commands, ({ name }) => name, typed);
    const known = new Set(fitting.map(({ name }) => name));
    const here = matching(offers, ({ name }) => name, typed).filter(({ name }) => !known.has(name));
    const groups: EntryGroup[] = [
      { id: "here", name: t("console.here"), entries: here.map((offer) => ({ ...offer, id: `here-${offer.name}`, icon: CornerDownRight })) },
      { id: "do", name: t("palette.do"), entries: fitting.filter(({ isWork }) => isWork) },
      { id: "go", name: t("palette.go_to"), entries: goTo },
      { id: "found", name: t("palette.found"), entries: hitEntries },
      { id: "own", name: t("nav.account"), entries: fitting.filter(({ isWork }) => !isWork) },
    ];
    return groups.filter(({ entries }) => entries.length > 0);
  }, [places, shown, commands, offers, found, pluginPages, say, t, has, typed, navigate]);
  return { groups, isSearching: isSearching && (hits.isFetching || sought !== typed) };
}
