import { useEffect, useState } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { Select } from "@guildhall/console/ui/Select";
import { TextField } from "@guildhall/console/ui/TextField";
import { isRecord } from "../workflows/spec";
import styles from "./Draw.module.css";

export interface ValueFieldProps {
  label: string;
  help?: string;
  value: unknown;
  fault?: string | undefined;
  references: readonly string[];
  /** Whether a fixed value is JSON, and not a text. */
  isJson?: boolean;
  onChange: (value: unknown) => void;
}

const FIXED = "";

/** A value that is fixed, or that is taken from an input or the output of an earlier step. */
export function ValueField({ label, help, value, fault, references, isJson, onChange }: ValueFieldProps) {
  const t = useText();
  const from = isRecord(value) && typeof value.$from === "string" ? value.$from : null;
  const known = from !== null && !references.includes(from) ? [from, ...references] : references;
  const options = [{ id: FIXED, name: t("workflows.take_fixed") }, ...known.map((id) => ({ id, name: id }))];
  return (
    <div className={styles.value}>
      <Select
        label={t("workflows.take_from", { field: label })}
        options={options}
        value={from ?? FIXED}
        onChange={(id) => onChange(id === FIXED ? undefined : { $from: id })}
      />
      {from === null ? (
        isJson || (value !== undefined && typeof value !== "string") ? (
          <JsonField label={label} {...(help && { help })} value={value} fault={fault} onChange={onChange} />
        ) : (
          <TextField
            label={label}
            {...(help && { help })}
            value={typeof value === "string" ? value : ""}
            {...(fault && { fault })}
            onChange={(text) => onChange(text === "" ? undefined : text)}
          />
        )
      ) : (
        <TextField
          label={label}
          value={from}
          {...(fault && { fault })}
          onChange={(text) => onChange(text === "" ? undefined : { $from: text })}
        />
      )}
    </div>
  );
}

export interface JsonFieldProps {
  label: string;
  help?: string;
  value: unknown;
  fault?: string | undefined;
  onChange: (value: unknown) => void;
}

/** JSON to write: what is none yet stays where it is written, and changes nothing. */
export function JsonField({ label, help, value, fault, onChange }: JsonFieldProps) {
  const t = useText();
  const stored = value === undefined ? "" : JSON.stringify(value, null, 2);
  const [text, setText] = useState(stored);
  const [isWrong, setWrong] = useState(false);
  useEffect(() => {
    setText((before) => (sameJson(before, stored) ? before : stored));
    setWrong(false);
  }, [stored]);
  const change = (changed: string) => {
    setText(changed);
    if (changed.trim() === "") return onChange(undefined);
    try {
      onChange(JSON.parse(changed));
      setWrong(false);
    } catch {
      setWrong(true);
    }
  };
  const words = isWrong ? t("workflows.fault_json") : fault;
  return (
    <TextField label={label} {...(help && { help })} value={text} rows={3} {...(words && { fault: words })} onChange={change} />
  );
}

function sameJson(text: string, stored: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text), null, 2) === stored;
  } catch {
    return text.trim() === stored;
  }
}
