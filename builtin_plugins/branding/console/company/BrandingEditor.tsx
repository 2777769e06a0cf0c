import { useMutation } from "@tanstack/react-query";
import { useState } from "react";

import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import type { Branding } from "@guildhall/console/instance";
import type { Theme } from "@guildhall/console/theme/apply";
import { COLOURS, isColour, MAX_RADIUS, verdictsOf } from "@guildhall/console/theme/contrast";
import { Button } from "@guildhall/console/ui/Button";
import { ConfirmByName } from "@guildhall/console/ui/ConfirmByName";
import { Form } from "@guildhall/console/ui/Form";
import { Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { TextField } from "@guildhall/console/ui/TextField";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { BrandingPreview } from "./BrandingPreview";
import styles from "./BrandingEditor.module.css";
import { ColourField } from "@guildhall/console/ui/ColourField";
import { LogoField } from "./LogoField";
import type { LogoUpload } from "./logo";
import { ModeChoice, type ThemeMode } from "@guildhall/console/ui/ModeChoice";

export interface BrandingChange {
  title?: string;
  tagline?: string;
  logo?: null;
  theme?: Theme;
}
export interface BrandingEditorProps {
  branding: Branding;
  onSave: (change: BrandingChange) => Promise<unknown>;
  onLogo: (logo: LogoUpload) => Promise<unknown>;
  onReset: () => Promise<unknown>;
  /** What has to be typed to drop it; null where there is nothing to drop. */
  resetName: string | null;
}

/** Title, tagline, logo and colours, with how it will look and whether it can be read, before it is saved. */
export function BrandingEditor({ branding, onSave, onLogo, onReset, resetName }: BrandingEditorProps) {
  const t = useText();
  const announce = useAnnounce();
  const [title, setTitle] = useState(branding.title);
  const [tagline, setTagline] = useState(branding.tagline);
  const [changed, setChanged] = useState<Theme>({});
  const [mode, setMode] = useState<ThemeMode>("light");
  const [isResetting, setResetting] = useState(false);

  const palette: Theme = { ...(branding.palette as Theme), ...changed };
  const prefix = mode === "dark" ? "dark-" : "";
  const verdicts = { light: verdictsOf(palette, "light"), dark: verdictsOf(palette, "dark") };
  const isReadable = [...verdicts.light, ...verdicts.dark].every(({ isGood }) => isGood);
  const isWellFormed = Object.entries(palette).every(([token, value]) => token === "radius" || isColour(value));
  const save = useMutation({
    mutationFn: () =>
      onSave({
        ...(title !== branding.title && { title }),
        ...(tagline !== branding.tagline && { tagline }),
        ...(Object.keys(changed).length > 0 && { theme: { ...(branding.theme as Theme), ...changed } }),
      }),
    onSuccess: () => {
      setChanged({});
      announce(t("state.saved"));
    },
  });
  const isChanged = title !== branding.title || tagline !== branding.tagline || Object.keys(changed).length > 0;
  const fault = (pointer: string) => (save.error instanceof Problem ? save.error.at(pointer) : undefined);
  const bad = (["light", "dark"] as const).filter((one) => verdicts[one].some(({ isGood }) => !isGood));

  return (
    <div className={styles.split}>
      <Form
        name="branding"
        className={styles.form}
        onSubmit={() => {
          if (isReadable && isWellFormed) save.mutate();
        }}
      >
        {save.isError && <ProblemNotice problem={save.error} />}
        <TextField label={t("branding.title")} isRequired maxLength={80} value={title} onChange={setTitle} fault={fault("/title")} />
        <TextField label={t("branding.tagline")} maxLength={200} value={tagline} onChange={setTagline} fault={fault("/tagline")} />
        <LogoField logo={branding.logo} onUpload={onLogo} onRemove={() => onSave({ logo: null })} />
        <Panel title={t("branding.colours")} actions={<ModeChoice value={mode} onChange={setMode} />}>
          <div className={styles.colours}>
            {COLOURS.map((token) => (
              <ColourField
                key={prefix + token}
                label={t(`branding.token_${token.replace("-", "_")}`)}
                value={String(palette[prefix + token])}
                onChange={(value) => setChanged({ ...changed, [prefix + token]: value })}
                verdicts={verdicts[mode].filter(({ foreground }) => foreground === token)}
                fault={fault(`/theme/${prefix}${token}`)}
              />
            ))}
          </div>
          <label className={styles.radius}>
            <span>{t("branding.token_radius")}</span>
            <input
              type="range"
              min={0}
              max={MAX_RADIUS}
              value={Number(palette.radius)}
              onChange={(event) => setChanged({ ...changed, radius: Number(event.target.value) })}
            />
            <span className={styles.figure}>{palette.radius} px</span>
          </label>
        </Panel>
        <div className={styles.actions}>
          <Button kind="primary" type="submit" isPending={save.isPending} isDisabled={!isChanged || !isReadable || !isWellFormed}>
            {t("action.save_changes")}
          </Button>
          {isChanged && (
            <Button
              kind="quiet"
              onPress={() => {
                setTitle(branding.title);
                setTagline(branding.tagline);
                setChanged({});
              }}
            >
              {t("action.cancel")}
            </Button>
          )}
          {resetName !== null && (
            <Button kind="quiet" onPress={() => setResetting(true)}>
              {t("branding.reset")}
            </Button>
          )}
        </div>
        {bad.length > 0 && (
          <p role="status" className={styles.refusal}>
            {t("branding.unreadable", { modes: bad.map((one) => t(`branding.${one}`)).join(", ") })}
          </p>
        )}
      </Form>
      <BrandingPreview title={title} tagline={tagline} logo={branding.logo} palette={palette} mode={mode} />
      {resetName !== null && (
        <ConfirmByName
          isOpen={isResetting}
          title={t("branding.reset")}
          text={t("branding.reset_help")}
          name={resetName}
          action={t("branding.reset")}
          onClose={() => setResetting(false)}
          onConfirm={onReset}
        />
      )}
    </div>
  );
}
