import { useMutation, useQueryClient } from "@tanstack/react-query";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import cells from "@guildhall/console/ui/Cells.module.css";
import type { Plugin } from "../plugins";

const KINDS = ["permission", "route", "job kind", "outbound host"] as const;

/** What a newer version adds and nobody agreed to; an operator approves what stands here, and nothing that came since. */
export function Held({ plugin }: { plugin: Plugin }) {
  const t = useText();
  const may = useMay();
  const announce = useAnnounce();
  const client = useQueryClient();
  const approve = useMutation({
    mutationFn: (held: string[]) =>
      dataOf(api.POST("/api/plugins/{id}/approve", { params: { path: { id: plugin.id } }, body: { held } })),
    onSuccess: () => announce(t("plugins.approved", { name: plugin.name })),
    onSettled: () => {
      for (const key of ["plugins", "ui"]) void client.invalidateQueries({ queryKey: [key] });
    },
  });
  const approveAll = (
    <Button kind="primary" isDisabled={approve.isPending} onPress={() => approve.mutate([...plugin.held])}>
      {t("plugins.approve")}
    </Button>
  );
  return (
    <Panel title={t("plugins.held")} actions={may("instance:manage") && approveAll}>
      <p>{t("plugins.held_text", { version: plugin.version })}</p>
      <ul>
        {plugin.held.map((one) => {
          const kind = KINDS.find((each) => one.startsWith(`${each} `));
          return (
            <li key={one}>
              {kind && <span className={cells.muted}>{t(`plugins.kind_${kind.replace(" ", "_")}`)} </span>}
              <code>{kind ? one.slice(kind.length + 1) : one}</code>
            </li>
          );
        })}
      </ul>
      {approve.isError && <ProblemNotice problem={approve.error} />}
    </Panel>
  );
}
