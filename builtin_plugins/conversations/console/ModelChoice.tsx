import { useQuery } from "@tanstack/react-query";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import { Select } from "@guildhall/console/ui/Select";
import { EXECUTOR } from "./conversation";

const DEFAULT = "";
const DEFAULT_NAME = "default";
const MAX_EXECUTORS = 200;

/** Which model answers: one of those that somebody may use; operators may name an executor besides. */
export function ModelChoice({ model, onChange }: { model: string | null; onChange: (model: string | null) => void }) {
  const t = useText();
  const may = useMay();
  const models = useQuery({ queryKey: ["models"], queryFn: () => dataOf(api.GET("/api/models")) });
  const executors = useQuery({
    queryKey: ["executors", "choice"],
    queryFn: () => dataOf(api.GET("/api/executors", { params: { query: { limit: MAX_EXECUTORS } } })),
    enabled: may("instance:manage"),
  });
  const named = (models.data?.items ?? []).filter(({ name }) => name !== DEFAULT_NAME).map(({ name, label }) => ({ id: name, name: label }));
  const items = executors.data?.items ?? [];
  const run = items.length < 2 ? [] : items.map(({ name, model: what }) => ({ id: EXECUTOR + name, name: what ? `${name} (${what})` : name }));
  if (named.length + run.length === 0) return null;
  return (
    <Select
      label={t("chat.model")}
      isLabelHidden
      value={model && model !== DEFAULT_NAME ? model : DEFAULT}
      options={[{ id: DEFAULT, name: t("chat.default_model") }, ...named, ...run]}
      onChange={(value) => onChange(value === DEFAULT ? null : value)}
    />
  );
}
