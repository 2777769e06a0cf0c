import { Search } from "lucide-react";
import { useEffect, useState } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import type { Filters } from "@guildhall/console/ui/query";
import { Select } from "@guildhall/console/ui/Select";
import { SHOWN, type Shown } from "./filters";
import styles from "./Notes.module.css";

interface NoteFiltersProps {
  words: string;
  shown: Shown;
  onChange: (change: Partial<Filters>) => void;
}

const PAUSE_MS = 250;

/** Which notes: by words in them, or by whose they are. */
export function NoteFilters({ words, shown, onChange }: NoteFiltersProps) {
  const t = useText();
  const may = useMay();
  const [typed, setTyped] = useState(words);
  useEffect(() => setTyped(words), [words]);
  useEffect(() => {
    if (typed.trim() === words) return;
    const timer = setTimeout(() => onChange({ q: typed.trim() }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, words, onChange]);
  // A search tells no owner: it spans what the team may read, or the company.
  const possible = SHOWN.filter((one) => (one === "company" ? may("org:read") : one === "all" || !words));
  return (
    <div className={styles.filters}>
      {may("search") && (
        <label className={styles.search}>
          <Search size={16} aria-hidden="true" />
          <input type="search" aria-label={t("notes.search")} placeholder={t("notes.search")} value={typed} onChange={(event) => setTyped(event.target.value)} />
        </label>
      )}
      {possible.length > 1 && (
        <Select
          isLabelHidden
          label={t("action.filter")}
          options={possible.map((id) => ({ id, name: t(`notes.show_${id}`) }))}
          value={possible.includes(shown) ? shown : "all"}
          onChange={(show) => onChange({ show: show === "all" ? "" : show })}
        />
      )}
    </div>
  );
}
