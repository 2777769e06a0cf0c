import { useQuery } from "@tanstack/react-query";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import { Select } from "@guildhall/console/ui/Select";

const DEFAULT = "";
const MAX_EXECUTORS = 200;

/** Which executor answers; operators alone may pick one, where there is more than one to pick from. */
export function ModelChoice({ executor, onChange }: { executor: string | null; onChange: (executor: string | null) => void }) {
  const t = useText();
  const may = useMay();
  const executors = useQuery({
    queryKey: ["executors", "choice"],
    queryFn: () => dataOf(api.GET("/api/executors", { params: { query: { limit: MAX_EXECUTORS } } })),
    enabled: may("instance:manage"),
  });
  const items = executors.data?.items ?? [];
  if (items.length < 2) return null;
  const options = items.map(({ name, model }) => ({ id: name, name: model ? `${name} (${model})` : name }));
  return (
    <Select
      label={t("chat.model")}
      isLabelHidden
      value={executor ?? DEFAULT}
      options={[{ id: DEFAULT, name: t("chat.default_model") }, ...options]}
      onChange={(value) => onChange(value === DEFAULT ? null : value)}
    />
  );
}
