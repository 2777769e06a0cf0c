import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { useInstance } from "@guildhall/console/instance";
import { FormDialog } from "@guildhall/console/ui/FormDialog";
import { Select } from "@guildhall/console/ui/Select";
import { ShownOnceDialog } from "@guildhall/console/ui/ShownOnceDialog";
import { TextField } from "@guildhall/console/ui/TextField";

const EMPTY = { name: "", mode: "push", model: "", url: "", key: "", capabilities: "", org_id: "" };
const EVERYBODY = "";

/** An endpoint that work is sent to, or a name under which workers claim it; their token is shown once. */
export function NewExecutor({ onClose }: { onClose: () => void }) {
  const t = useText();
  const client = useQueryClient();
  const { config } = useInstance();
  const [draft, setDraft] = useState(EMPTY);
  const companies = useQuery({ queryKey: ["orgs", "first"], queryFn: () => dataOf(api.GET("/api/orgs", { params: { query: { limit: 200 } } })), enabled: config.multitenant });
  const isPush = draft.mode === "push";
  const create = useMutation({
    mutationFn: () => {
      const { name, model, url, key, org_id } = draft;
      const capabilities = draft.capabilities.split(/[\s,]+/).filter(Boolean);
      const body = {
        name,
        mode: isPush ? ("push" as const) : ("pull" as const),
        ...(model && { model }),
        ...(isPush && url && { url }),
        ...(isPush && key && { key }),
        ...(capabilities.length > 0 && { capabilities }),
        ...(org_id && { org_id }),
      };
      return dataOf(api.POST("/api/executors", { body }));
    },
    onSuccess: (made) => {
      void client.invalidateQueries({ queryKey: ["executors"] });
      if (!made.worker_token) onClose();
    },
  });
  const fault = (pointer: string) => {
    const message = create.error instanceof Problem ? create.error.at(pointer) : undefined;
    return message ? { fault: message } : {};
  };
  const set = (name: keyof typeof EMPTY) => ({ value: draft[name], onChange: (value: string) => setDraft({ ...draft, [name]: value }) });
  const token = create.data?.worker_token;
  if (token) {
    return (
      <ShownOnceDialog title={t("executors.token_title", { name: create.data?.name ?? "" })} values={{ [t("executors.token")]: token }} onClose={onClose}>
        <p>{t("executors.token_text")}</p>
      </ShownOnceDialog>
    );
  }
  return (
    <FormDialog title={t("executors.new")} name="new-executor" submit={t("executors.create")} sending={create} onClose={onClose}>
      <TextField label={t("list.name")} isRequired autoFocus {...set("name")} {...fault("/name")} />
      <Select
        label={t("executors.mode")}
        options={["push", "pull"].map((mode) => ({ id: mode, name: `${t(`executors.mode_${mode}`)}: ${t(`executors.mode_${mode}_text`)}` }))}
        {...set("mode")}
      />
      <TextField label={t("chat.model")} help={t("form.optional")} {...set("model")} {...fault("/model")} />
      {isPush && <TextField label={t("executors.url")} help={t("executors.url_help")} isRequired {...set("url")} {...fault("/url")} />}
      {isPush && <TextField label={t("executors.key")} help={t("executors.key_help")} type="password" autoComplete="off" {...set("key")} {...fault("/key")} />}
      <TextField label={t("executors.capabilities")} help={t("executors.capabilities_help")} {...set("capabilities")} {...fault("/capabilities")} />
      {config.multitenant && (
        <Select
          label={t("executors.company")}
          options={[{ id: EVERYBODY, name: t("executors.everybody") }, ...(companies.data?.items ?? []).map(({ id, name }) => ({ id, name }))]}
          {...set("org_id")}
          {...fault("/org_id")}
        />
      )}
    </FormDialog>
  );
}
