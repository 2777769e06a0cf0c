import { useEffect, useState } from "react";
import { Input, Label, SearchField } from "react-aria-components";

import styles from "./PhraseField.module.css";
import field from "./TextField.module.css";

const TYPED_MS = 250;

export interface PhraseFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  autoFocus?: boolean;
  className?: string | undefined;
}

/** A phrase to look for, asked for when one pauses in typing. */
export function PhraseField({ label, value, onChange, autoFocus, className }: PhraseFieldProps) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => onChange(typed), TYPED_MS);
    return () => clearTimeout(timer);
  }, [typed, value, onChange]);
  return (
    <SearchField className={className ?? ""} value={typed} onChange={setTyped} onSubmit={onChange} autoFocus={autoFocus ?? false}>
      <Label className={styles.hidden}>{label}</Label>
      <Input className={field.input} placeholder={label} />
    </SearchField>
  );
}
