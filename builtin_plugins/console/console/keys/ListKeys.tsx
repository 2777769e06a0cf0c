import { useEffect, useRef } from "react";
import { useLocation } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { isWithin, useScreens } from "@guildhall/console/screens/shown";
import { useMay } from "@guildhall/console/session/identity";
import { onListKey, openPalette } from "./listKeys";

/** Gives every screen the keys of lists; shows nothing. */
export default function ListKeys() {
  const t = useText();
  const may = useMay();
  const { shown } = useScreens();
  const [address, navigate] = useLocation();
  const onCreate = () => {
    const here = shown.flatMap(({ path, begin = [] }) => (isWithin(address, path) ? begin : []));
    const first = here.find(({ needs }) => may(needs));
    if (first) navigate(first.path);
    else openPalette();
  };
  const keys = useRef({ onCreate, searchWords: t("action.search") });
  keys.current = { onCreate, searchWords: t("action.search") };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => onListKey(event, keys.current);
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  return null;
}
