import { useMutation } from "@tanstack/react-query";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { FormDialog } from "@guildhall/console/ui/FormDialog";
import { Select } from "@guildhall/console/ui/Select";
import { ShownOnceDialog } from "@guildhall/console/ui/ShownOnceDialog";
import { TextField } from "@guildhall/console/ui/TextField";

type Mode = "push" | "pull";

/** An executor for the company alone; the token of one that fetches its work is shown once. */
export function NewExecutor({ onClose, onMade }: { onClose: () => void; onMade: () => void }) {
  const t = useText();
  const [values, setValues] = useState({ name: "", model: "", url: "", key: "" });
  const [mode, setMode] = useState<Mode>("push");
  const make = useMutation({
    mutationFn: () => {
      const { name, model, url, key } = values;
      const endpoint = mode === "push" ? { ...(url && { url }), ...(key && { key }) } : {};
      return dataOf(api.POST("/api/org/executors", { body: { name, mode, ...(model && { model }), ...endpoint } }));
    },
    onSuccess: (made) => {
      onMade();
      if (!made.worker_token) onClose();
    },
  });
  if (make.data?.worker_token) {
    return <ShownOnceDialog title={make.data.name} values={{ [t("executors.token")]: make.data.worker_token }} onClose={onClose} />;
  }
  const field = (name: keyof typeof values) => ({
    value: values[name],
    onChange: (value: string) => setValues({ ...values, [name]: value }),
    fault: make.error instanceof Problem ? make.error.at(`/${name}`) : undefined,
  });
  return (
    <FormDialog title={t("executors.new")} name="new-company-executor" submit={t("executors.create")} sending={make} onClose={onClose}>
      <TextField label={t("list.name")} isRequired autoFocus {...field("name")} />
      <Select
        label={t("executors.mode")}
        options={(["push", "pull"] as const).map((id) => ({ id, name: t(`executors.${id}`) }))}
        value={mode}
        onChange={(value) => setMode(value as Mode)}
      />
      <TextField label={t("executors.model")} {...field("model")} />
      {mode === "push" && (
        <>
          <TextField label={t("executors.url")} type="url" isRequired help={t("executors.url_help")} {...field("url")} />
          <TextField label={t("executors.key")} type="password" autoComplete="off" {...field("key")} />
        </>
      )}
    </FormDialog>
  );
}
