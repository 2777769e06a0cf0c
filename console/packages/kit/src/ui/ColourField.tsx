import { CircleCheck, TriangleAlert } from "lucide-react";
import { useId } from "react";

import { useText } from "../i18n/texts";
import { isColour, type Verdict } from "../theme/contrast";
import styles from "./BrandingEditor.module.css";

interface ColourFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** How it stands against what lies below it. */
  verdicts: readonly Verdict[];
  fault?: string | undefined;
}

/** A colour to pick or to type, with the verdict of its worst pair. */
export function ColourField({ label, value, onChange, verdicts, fault }: ColourFieldProps) {
  const t = useText();
  const id = useId();
  const worst = [...verdicts].sort((a, b) => a.ratio / a.floor - b.ratio / b.floor)[0];
  const wrong = fault ?? (isColour(value) ? null : t("branding.no_colour"));
  return (
    <div className={styles.colour}>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      <div className={styles.inputs}>
        <input id={id} type="color" className={styles.swatch} value={isColour(value) ? value : "#000000"} onChange={(event) => onChange(event.target.value)} aria-describedby={`${id}-verdict`} />
        <input
          type="text"
          className={styles.hex}
          aria-label={t("branding.hex_of", { name: label })}
          aria-invalid={wrong !== null}
          spellCheck={false}
          maxLength={7}
          value={value}
          onChange={(event) => onChange(event.target.value.trim().toLowerCase())}
        />
      </div>
      <span id={`${id}-verdict`} className={styles.verdict} data-bad={wrong !== null || worst?.isGood === false ? "" : undefined}>
        {wrong ??
          (worst && (
            <>
              {worst.isGood ? <CircleCheck size={12} aria-hidden="true" /> : <TriangleAlert size={12} aria-hidden="true" />}
              {t(worst.isGood ? "branding.contrast_good" : "branding.contrast_bad", { ratio: worst.ratio, floor: worst.floor })}
            </>
          ))}
      </span>
    </div>
  );
}
