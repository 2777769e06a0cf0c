import { useState } from "react";

import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { COLOURS, MAX_RADIUS, verdictsOf } from "@guildhall/console/theme/contrast";
import { Button } from "@guildhall/console/ui/Button";
import { Panel } from "@guildhall/console/ui/Panel";
import { TextField } from "@guildhall/console/ui/TextField";
import { ColourField } from "@guildhall/console/ui/ColourField";
import { ModeChoice, type ThemeMode } from "@guildhall/console/ui/ModeChoice";
import type { Theme } from "./experience";
import { faultOf } from "./faults";
import styles from "./Beta.module.css";

/** The page's colours over the instance's look, each with how well it can be read. */
export function ThemePanel({ theme, onChange, problem }: { theme: Theme; onChange: (theme: Theme) => void; problem: unknown }) {
  const t = useText();
  const [mode, setMode] = useState<ThemeMode>("light");
  const prefix = mode === "dark" ? "dark-" : "";
  const palette = { ...currentTheme(), ...theme };
  const verdicts = verdictsOf(palette, mode);
  const refused = problem instanceof Problem && problem.code === "theme_invalid" ? String(problem.body.token) : null;
  const fault = (token: string) => (refused === token && problem instanceof Problem ? problem.message : undefined);
  const radius = theme.radius === undefined ? "" : String(theme.radius);
  const setRadius = (text: string) => {
    const { radius: _, ...rest } = theme;
    onChange(text === "" ? rest : { ...rest, radius: Number(text) });
  };
  return (
    <Panel title={t("funnel.theme")} actions={<ModeChoice value={mode} onChange={setMode} />}>
      <div className={styles.colours}>
        {COLOURS.map((token) => (
          <ColourField
            key={prefix + token}
            label={t(`branding.token_${token.replace("-", "_")}`)}
            value={String(palette[prefix + token] ?? "")}
            onChange={(value) => onChange({ ...theme, [prefix + token]: value })}
            verdicts={verdicts.filter(({ foreground }) => foreground === token)}
            fault={fault(prefix + token)}
          />
        ))}
      </div>
      <div className={styles.inline}>
        <TextField
          label={t("branding.token_radius")}
          inputMode="numeric"
          value={radius}
          onChange={(text) => /^\d{0,2}$/.test(text) && Number(text) <= MAX_RADIUS && setRadius(text)}
          {...faultOf(fault("radius"))}
        />
        {Object.keys(theme).length > 0 && (
          <Button kind="quiet" onPress={() => onChange({})}>
            {t("branding.reset")}
          </Button>
        )}
      </div>
    </Panel>
  );
}

/** Every colour as it is here without a theme of the page's own. */
function currentTheme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const of = (mode: string, token: string) => style.getPropertyValue(`--${mode}-${token}`).trim();
  return Object.fromEntries(COLOURS.flatMap((token) => [[token, of("light", token)], [`dark-${token}`, of("dark", token)]]));
}
