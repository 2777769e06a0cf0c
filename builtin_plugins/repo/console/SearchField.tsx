import { Search } from "lucide-react";
import { useEffect, useState } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import styles from "./Browser.module.css";

const PAUSE_MS = 250;

/** Words to look for in names and texts; they stand in the address once somebody stops typing. */
export function SearchField({ value, onSearch }: { value: string; onSearch: (query: string) => void }) {
  const t = useText();
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => onSearch(typed), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, value, onSearch]);
  return (
    <div className={styles.search} role="search">
      <Search size={14} aria-hidden="true" />
      <input
        type="search"
        aria-label={t("files.search")}
        placeholder={t("files.search")}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") onSearch(typed);
          if (event.key === "Escape") {
            setTyped("");
            onSearch("");
          }
        }}
      />
    </div>
  );
}
