import { SlidersHorizontal } from "lucide-react";
import { useState } from "react";
import { Dialog, DialogTrigger, Popover } from "react-aria-components";

import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Select } from "@guildhall/console/ui/Select";
import { TextField } from "@guildhall/console/ui/TextField";
import { NO_SETTINGS, schemaIn, type TurnSettings } from "./conversation";
import styles from "./ToolChoice.module.css";

interface AnswerSettingsProps {
  settings: TurnSettings;
  /** A turn with tools has instructions alone. */
  hasTools: boolean;
  onChange: (settings: TurnSettings) => void;
}

const HOTTEST = 2;

/** How the next answers are asked for: what the model is told first, how freely it writes, and whether in JSON. */
export function AnswerSettings({ settings, hasTools, onChange }: AnswerSettingsProps) {
  const t = useText();
  const count = [settings.system.trim() !== "", settings.temperature !== null && !hasTools, settings.format === "json" && !hasTools].filter(Boolean).length;
  const change = (part: Partial<TurnSettings>) => onChange({ ...settings, ...part });
  return (
    <DialogTrigger>
      <Button kind="quiet" aria-label={count ? `${t("chat.settings")}: ${t("chat.settings_some", { count })}` : t("chat.settings")}>
        <SlidersHorizontal size={16} aria-hidden="true" />
        {count > 0 && <span>{count}</span>}
      </Button>
      <Popover className={styles.popover!} placement="top start">
        <Dialog className={styles.dialog!} aria-label={t("chat.settings")}>
          <TextField label={t("chat.system")} help={t("chat.system_help")} rows={3} value={settings.system} onChange={(system) => change({ system })} />
          {hasTools ? (
            <p className={styles.help}>{t("chat.settings_tools")}</p>
          ) : (
            <>
              <Temperature value={settings.temperature} onChange={(temperature) => change({ temperature })} />
              <Select
                label={t("chat.format")}
                options={(["text", "json"] as const).map((id) => ({ id, name: t(`chat.format_${id}`) }))}
                value={settings.format}
                onChange={(format) => change({ format: format as TurnSettings["format"] })}
              />
              {settings.format === "json" && <Schema value={settings.schema} onChange={(schema) => change({ schema })} />}
            </>
          )}
          {count > 0 && (
            <Button kind="quiet" onPress={() => onChange(NO_SETTINGS)}>
              {t("chat.settings_reset")}
            </Button>
          )}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}

/** What cannot be used is said at once, and what was there before goes on being used. */
function Temperature({ value, onChange }: { value: number | null; onChange: (value: number | null) => void }) {
  const t = useText();
  const [typed, setTyped] = useState(value === null ? "" : String(value));
  const figure = Number(typed.replace(",", "."));
  const isFit = typed.trim() === "" || (figure >= 0 && figure <= HOTTEST);
  return (
    <TextField
      label={t("chat.temperature")}
      help={t("chat.temperature_help")}
      inputMode="decimal"
      value={value === null && typed.trim() !== "" && isFit ? "" : typed}
      onChange={(text) => {
        setTyped(text);
        const now = Number(text.replace(",", "."));
        if (text.trim() === "") onChange(null);
        else if (now >= 0 && now <= HOTTEST) onChange(now);
      }}
      {...(!isFit && { fault: t("chat.temperature_fault") })}
    />
  );
}

function Schema({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const t = useText();
  const isFit = value.trim() === "" || schemaIn(value) !== null;
  return (
    <TextField
      label={t("chat.schema")}
      help={t("chat.schema_help")}
      rows={4}
      value={value}
      onChange={onChange}
      {...(!isFit && { fault: t("chat.schema_fault") })}
    />
  );
}
