import { useMutation, useQueryClient } from "@tanstack/react-query";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Switch } from "@guildhall/console/ui/Switch";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import cells from "@guildhall/console/ui/Cells.module.css";
import type { Plugin } from "../plugins";

interface Listed {
  items: Plugin[];
}

/** Turns a plugin on or off for the team, at once; a refusal puts the switch back. */
export function PluginSwitch({ plugin }: { plugin: Plugin }) {
  const t = useText();
  const announce = useAnnounce();
  const client = useQueryClient();
  const turn = useMutation({
    mutationFn: (enabled: boolean) =>
      dataOf(api.POST("/api/plugins/{id}", { params: { path: { id: plugin.id } }, body: { enabled } })),
    onMutate: async (enabled) => {
      await client.cancelQueries({ queryKey: ["plugins"] });
      const before = client.getQueryData<Listed>(["plugins"]);
      client.setQueryData<Listed>(["plugins"], (held) =>
        held && { ...held, items: held.items.map((one) => (one.id === plugin.id ? { ...one, enabled } : one)) },
      );
      return before;
    },
    onError: (_, __, before) => client.setQueryData(["plugins"], before),
    onSuccess: ({ enabled }) => announce(t(enabled ? "plugins.turned_on" : "plugins.turned_off", { name: plugin.name })),
    onSettled: () => {
      for (const key of ["plugins", "ui", "features"]) void client.invalidateQueries({ queryKey: [key] });
    },
  });
  if (plugin.status !== "loaded") return <span className={cells.muted}>–</span>;
  if (plugin.essential) return <span className={cells.muted}>{t("plugins.essential")}</span>;
  return (
    <>
      <Switch aria-label={`${t("plugins.for_team")}: ${plugin.name}`} isSelected={plugin.enabled} onChange={(on) => turn.mutate(on)} />
      {turn.isError && <ProblemNotice problem={turn.error} />}
    </>
  );
}
