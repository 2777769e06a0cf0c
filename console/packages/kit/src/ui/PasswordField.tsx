import { useState } from "react";
import { Button, FieldError, Input, Label, Text, TextField } from "react-aria-components";

import { useText } from "../i18n/texts";
import { useFieldFault } from "./Form";
import field from "./TextField.module.css";
import styles from "./PasswordField.module.css";
import { strengthOf, type Strength } from "./strength";

export interface PasswordFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** `new` shows how strong it is; `current` is one that exists. */
  kind: "new" | "current";
  username?: string;
  fault?: string;
  autoFocus?: boolean;
}

const WORDS: Record<Strength, string> = {
  short: "entry.password_help",
  weak: "entry.password_weak",
  fair: "entry.password_fair",
  strong: "entry.password_strong",
};

/** A password, which can be looked at, with an honest verdict where it is a new one. */
export function PasswordField({ label, value, onChange, kind, username, fault, autoFocus }: PasswordFieldProps) {
  const t = useText();
  const [isShown, setShown] = useState(false);
  const words = useFieldFault({ label, value, isRequired: true, fault });
  const strength = value ? strengthOf(value, username) : "short";
  return (
    <TextField
      className={field.field}
      type={isShown ? "text" : "password"}
      name={kind === "new" ? "new-password" : "password"}
      autoComplete={kind === "new" ? "new-password" : "current-password"}
      isRequired
      isInvalid={words !== undefined}
      validationBehavior="aria"
      value={value}
      onChange={onChange}
      autoFocus={autoFocus ?? false}
    >
      <div className={styles.head}>
        <Label className={field.label}>{label}</Label>
        <Button className={styles.show} onPress={() => setShown(!isShown)}>
          {isShown ? t("entry.hide_password") : t("entry.show_password")}
        </Button>
      </div>
      <Input className={field.input} spellCheck={false} autoCapitalize="none" />
      {kind === "new" && (
        <Text slot="description" className={styles.verdict} data-strength={strength}>
          <span className={styles.track} aria-hidden="true">
            <span className={styles.filled} />
          </span>
          {t(WORDS[strength])}
        </Text>
      )}
      <FieldError className={field.fault}>{words}</FieldError>
    </TextField>
  );
}
