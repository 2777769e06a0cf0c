import { useQuery } from "@tanstack/react-query";
import { Library, X } from "lucide-react";
import { Button } from "react-aria-components";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import type { Source } from "@guildhall/console/ui/ask";
import styles from "./AttachmentChips.module.css";

/** What the next answers come from. */
export function SourceChips({ sources, onRemove }: { sources: readonly Source[]; onRemove?: (removed: Source) => void }) {
  const t = useText();
  return (
    <ul className={styles.chips} aria-label={t("chat.sources")}>
      {sources.map((source) => (
        <SourceChip key={`${source.type}:${source.at}`} source={source} {...(onRemove && { onRemove: () => onRemove(source) })} />
      ))}
    </ul>
  );
}

function SourceChip({ source, onRemove }: { source: Source; onRemove?: () => void }) {
  const t = useText();
  const name = useName(source);
  return (
    <li className={styles.chip}>
      <Library size={12} aria-hidden="true" />
      <span className={styles.name} dir="auto" title={name}>
        {name}
      </span>
      {onRemove && (
        <Button className={styles.remove!} aria-label={t("action.remove_named", { name })} onPress={onRemove}>
          <X size={12} />
        </Button>
      )}
    </li>
  );
}

/** What a source is called; where it cannot be read, the id that it has. */
function useName({ type, at }: Source): string {
  const found = useQuery({ queryKey: ["source", type, at], queryFn: () => nameOf(type, at), enabled: type !== "folder", staleTime: 60_000, retry: false });
  return found.data ?? at;
}

async function nameOf(type: Source["type"], id: string): Promise<string> {
  const params = { path: { id } };
  if (type === "object") return (await dataOf(api.GET("/api/repo-obj/{id}", { params }))).key;
  if (type === "note") return (await dataOf(api.GET("/api/notes/{id}", { params }))).title;
  return (await dataOf(api.GET("/api/kg/entities/{id}", { params }))).name;
}
