import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Play } from "lucide-react";
import { useState } from "react";
import { Link } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { useLive } from "@guildhall/console/api/live";
import { useText } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { CodeBlock } from "@guildhall/console/ui/CodeBlock";
import { CopyButton } from "@guildhall/console/ui/CopyButton";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { RowAction } from "@guildhall/console/ui/RowAction";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { StateMark } from "@guildhall/console/ui/StateMark";
import { Time } from "@guildhall/console/ui/Time";
import { usePages } from "@guildhall/console/ui/usePages";
import { DeliveryPanel, HookFrame } from "./HookFrame";
import { OnOff } from "./Outgoing";
import { IN, SCHEME_NAMES, type HookIn } from "./webhook";

const MARKS = { started: "succeeded", refused: "failed" } as const;

/** One address with what came in at it. */
export function IncomingPage({ id }: { id: string }) {
  useLive("/api/hooks-in", ["hook-in", id]);
  const hook = useQuery({
    queryKey: ["hook-in", id],
    queryFn: () => dataOf(api.GET("/api/hooks-in/{id}", { params: { path: { id } } })),
  });
  if (hook.isPending) return <SkeletonRows />;
  if (!hook.data) return <ProblemNotice problem={hook.error} onRetry={() => void hook.refetch()} />;
  return <Shown hook={hook.data} />;
}

function Shown({ hook }: { hook: HookIn }) {
  const { id, url, workflow_slug: slug, scheme, enabled } = hook;
  const t = useText();
  const may = useMay();
  const client = useQueryClient();
  const path = { path: { id } };
  const keys = { own: ["hook-in", id], list: IN };
  const refetch = () => Object.values(keys).forEach((queryKey) => void client.invalidateQueries({ queryKey }));
  return (
    <HookFrame
      title={slug}
      enabled={enabled}
      keys={keys}
      onChanged={refetch}
      onTurn={(isOn) => dataOf(api.PATCH("/api/hooks-in/{id}", { params: path, body: { enabled: isOn } }))}
      onDelete={() => api.DELETE("/api/hooks-in/{id}", { params: path })}
      facts={[
        [t("list.status"), <OnOff key="on" {...hook} />],
        [
          t("webhooks.address"),
          <span key="url">
            <code>{url}</code> <CopyButton text={url} name={t("webhooks.address")} />
          </span>,
        ],
        [t("webhooks.workflow"), <Link key="workflow" href={`/workflows/${slug}/steps`}>{slug}</Link>],
        [t("webhooks.scheme"), scheme === "none" ? t("webhooks.scheme_none") : SCHEME_NAMES[scheme]],
        [t("list.owner"), hook.owner.name ?? ""],
      ]}
    >
      <Deliveries id={id} mayReplay={may("workflows:write")} />
    </HookFrame>
  );
}

function Deliveries({ id, mayReplay }: { id: string; mayReplay: boolean }) {
  const t = useText();
  const client = useQueryClient();
  const [opened, setOpened] = useState<string | null>(null);
  const key = ["hook-in", id, "deliveries"];
  const deliveries = usePages(key, (cursor) =>
    dataOf(api.GET("/api/hooks-in/{id}/deliveries", { params: { path: { id }, query: cursor } })),
  );
  const again = useMutation({
    mutationFn: (delivery_id: string) =>
      dataOf(api.POST("/api/hooks-in/{id}/deliveries/{delivery_id}/replay", { params: { path: { id, delivery_id } } })),
    onSettled: () => void client.invalidateQueries({ queryKey: key }),
  });
  const shown = deliveries.data?.pages.flatMap(({ items }) => items).find((one) => one.id === opened);
  return (
    <DeliveryPanel
      pages={deliveries}
      problem={again.error}
      columns={[
        { id: "at", name: t("list.created"), cell: ({ created_at }) => <Time at={created_at} /> },
        { id: "state", name: t("list.status"), cell: ({ state, error }) => <StateMark state={MARKS[state]} text={[t(`webhooks.${state}`), error].filter(Boolean).join(": ")} /> },
        {
          id: "run",
          name: t("webhooks.workflow"),
          cell: ({ run_id }) => (run_id ? <Link href={`/runs/${run_id}`}>{t("action.open")}</Link> : null),
        },
      ]}
      actions={(one) => (
        <>
          {one.body !== null && (
            <Button kind="quiet" aria-expanded={one.id === opened} onPress={() => setOpened(one.id === opened ? null : one.id)}>
              {t("action.open")}
            </Button>
          )}
          {mayReplay && <RowAction icon={Play} name={t("webhooks.replay")} of={one.created_at} onPress={() => again.mutate(one.id)} />}
        </>
      )}
    >
      {shown?.body && <CodeBlock name={t("webhooks.request")} text={shown.body} />}
    </DeliveryPanel>
  );
}
