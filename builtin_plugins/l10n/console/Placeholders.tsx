import { Check, TriangleAlert } from "lucide-react";
import { useMemo } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { faultsOf, parse, type Fault } from "./icu";
import type { Message } from "./messages";
import styles from "./Localize.module.css";

export interface PlaceholdersProps {
  message: Message;
  text: string;
  onInsert: (words: string) => void;
}

/** What the source names, each to be set in by a press, and what the text gets wrong about them as one types. */
export function Placeholders({ message, text, onInsert }: PlaceholdersProps) {
  const t = useText();
  const { source, locale } = message;
  const wanted = useMemo(() => parse(source, "en"), [source]);
  const faults = useMemo(() => faultsOf(source, text, locale), [source, text, locale]);
  const args = wanted.ok ? wanted.args : [];
  return (
    <div className={styles.checks}>
      {args.map(({ name }) => (
        <Button key={name} aria-label={t("l10n.insert", { name: `{${name}}` })} onPress={() => onInsert(`{${name}}`)}>
          <code>{`{${name}}`}</code>
        </Button>
      ))}
      {text.trim() !== "" && faults.length === 0 && args.length > 0 && (
        <span className={styles.fits}>
          <Check size={16} aria-hidden="true" />
          {t("l10n.placeholders_fit")}
        </span>
      )}
      <ul className={styles.faults} role="status">
        {faults.map((fault, place) => (
          <li key={place}>
            <TriangleAlert size={16} aria-hidden="true" />
            {wordsOf(fault, t)}
          </li>
        ))}
      </ul>
    </div>
  );
}

function wordsOf(fault: Fault, t: ReturnType<typeof useText>): string {
  if (fault.code !== "syntax") return t(`l10n.placeholder_${fault.code}`, { name: `{${fault.name}}` });
  return fault.place === null ? t("l10n.syntax") : t("l10n.syntax_at", { place: fault.place + 1 });
}
