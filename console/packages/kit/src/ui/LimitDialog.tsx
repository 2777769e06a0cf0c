import { useMutation } from "@tanstack/react-query";
import { useState } from "react";

import { Problem } from "../api/problem";
import { useText } from "../i18n/texts";
import { FormDialog } from "./FormDialog";
import { Select } from "./Select";
import { TextField } from "./TextField";
import { useAnnounce } from "./Toasts";
import { useDimensionName } from "./dimensions";
import { DIMENSION_NAMES, WINDOWS } from "./plans";

type Window = (typeof WINDOWS)[number];

export interface Limit {
  dimension: string;
  window: Window;
  limit: number | null;
}

export interface LimitDialogProps {
  title: string;
  given: Limit;
  /** The dimensions that are counted there; a plugin's own are among them. */
  counted: readonly string[];
  save: (limit: Limit) => Promise<unknown>;
  onClose: () => void;
}

/** Sets or lifts a limit, of a company or of a team. */
export function LimitDialog({ title, given, counted, save: send, onClose }: LimitDialogProps) {
  const t = useText();
  const announce = useAnnounce();
  const nameOf = useDimensionName();
  const [dimension, setDimension] = useState(given.dimension);
  const [window, setWindow] = useState<Window>(given.window);
  const [limit, setLimit] = useState(given.limit === null ? "" : String(given.limit));
  const dimensions = [...new Set([...Object.keys(DIMENSION_NAMES), ...counted])];
  const save = useMutation({
    mutationFn: () => {
      // What is no whole number is sent as it was typed: the server says what is wrong with it.
      const typed = (/^\d+$/.test(limit.trim()) ? Number(limit) : limit) as number;
      return send({ dimension, window, limit: limit.trim() === "" ? null : typed });
    },
    onSuccess: () => {
      announce(t("instance.limit_set"));
      onClose();
    },
  });
  const fault = (pointer: string) => {
    const message = save.error instanceof Problem ? save.error.at(pointer) : undefined;
    return message ? { fault: message } : {};
  };
  return (
    <FormDialog title={title} name="limit" submit={t("instance.limit_save")} sending={save} onClose={onClose}>
      <Select
        label={t("instance.dimension")}
        options={dimensions.map((one) => ({ id: one, name: nameOf(one) }))}
        value={dimension}
        onChange={setDimension}
        {...fault("/dimension")}
      />
      <Select
        label={t("instance.window")}
        options={WINDOWS.map((one) => ({ id: one, name: t(`instance.window_${one}`) }))}
        value={window}
        onChange={(chosen) => setWindow(chosen as Window)}
        {...fault("/window")}
      />
      <TextField label={t("usage.limit")} help={t("instance.limit_help")} inputMode="numeric" value={limit} onChange={setLimit} autoFocus {...fault("/limit")} />
    </FormDialog>
  );
}
