import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { RefreshCw, Send } from "lucide-react";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useLive } from "@guildhall/console/api/live";
import { useText } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { CodeBlock } from "@guildhall/console/ui/CodeBlock";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { RowAction } from "@guildhall/console/ui/RowAction";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { StateMark } from "@guildhall/console/ui/StateMark";
import { Time } from "@guildhall/console/ui/Time";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { usePages } from "@guildhall/console/ui/usePages";
import { DeliveryPanel, HookFrame } from "./HookFrame";
import { OnOff } from "./Outgoing";
import { ShowSecret } from "./ShowSecret";
import { OUT, type Webhook } from "./webhook";

const MARKS = { waiting: "queued", delivered: "succeeded", failed: "failed", skipped: "cancelled" } as const;

/** One address with what was sent to it and what it answered. */
export function OutgoingPage({ id }: { id: string }) {
  useLive("/api/webhooks", ["webhook", id]);
  const webhook = useQuery({
    queryKey: ["webhook", id],
    queryFn: () => dataOf(api.GET("/api/webhooks/{id}", { params: { path: { id } } })),
  });
  if (webhook.isPending) return <SkeletonRows />;
  if (!webhook.data) return <ProblemNotice problem={webhook.error} onRetry={() => void webhook.refetch()} />;
  return <Shown webhook={webhook.data} />;
}

function Shown({ webhook }: { webhook: Webhook }) {
  const { id, url, events, ordered, enabled } = webhook;
  const t = useText();
  const may = useMay();
  const announce = useAnnounce();
  const client = useQueryClient();
  const path = { path: { id } };
  const keys = { own: ["webhook", id], list: OUT };
  const refetch = () => Object.values(keys).forEach((queryKey) => void client.invalidateQueries({ queryKey }));
  const rotate = useMutation({ mutationFn: () => dataOf(api.POST("/api/webhooks/{id}/rotate", { params: path })), onSettled: refetch });
  const test = useMutation({
    mutationFn: () => dataOf(api.POST("/api/webhooks/{id}/test", { params: path })),
    onSuccess: () => announce(t("webhooks.tested")),
    onSettled: refetch,
  });
  return (
    <HookFrame
      title={url}
      enabled={enabled}
      keys={keys}
      onChanged={refetch}
      onTurn={(isOn) => dataOf(api.PATCH("/api/webhooks/{id}", { params: path, body: { enabled: isOn } }))}
      onDelete={() => api.DELETE("/api/webhooks/{id}", { params: path })}
      tools={
        <>
          <Button isPending={test.isPending} isDisabled={!enabled} onPress={() => test.mutate()}>
            <Send size={16} aria-hidden="true" />
            {t("webhooks.test")}
          </Button>
          <Button isPending={rotate.isPending} onPress={() => rotate.mutate()}>
            <RefreshCw size={16} aria-hidden="true" />
            {t("webhooks.rotate")}
          </Button>
        </>
      }
      problem={rotate.error ?? test.error}
      facts={[
        [t("list.status"), <OnOff key="on" {...webhook} />],
        [t("webhooks.events"), events.join(", ")],
        [t("webhooks.ordered"), ordered ? t("state.on") : t("state.off")],
        [t("list.owner"), webhook.owner.name ?? ""],
      ]}
    >
      <Deliveries id={id} mayResend={may("workflows:write") && enabled} />
      {rotate.isSuccess && <ShowSecret title={url} secret={rotate.data.secret} onClose={() => rotate.reset()} />}
    </HookFrame>
  );
}

function Deliveries({ id, mayResend }: { id: string; mayResend: boolean }) {
  const t = useText();
  const client = useQueryClient();
  const [opened, setOpened] = useState<string | null>(null);
  const key = ["webhook", id, "deliveries"];
  const deliveries = usePages(key, (cursor) =>
    dataOf(api.GET("/api/webhooks/{id}/deliveries", { params: { path: { id }, query: cursor } })),
  );
  const again = useMutation({
    mutationFn: (delivery_id: string) =>
      dataOf(api.POST("/api/webhooks/{id}/deliveries/{delivery_id}/redeliver", { params: { path: { id, delivery_id } } })),
    onSettled: () => void client.invalidateQueries({ queryKey: key }),
  });
  const shown = deliveries.data?.pages.flatMap(({ items }) => items).find((one) => one.id === opened);
  return (
    <DeliveryPanel
      pages={deliveries}
      problem={again.error}
      columns={[
        {
          id: "event",
          name: t("webhooks.events"),
          cell: (one) => (
            <Button kind="quiet" aria-expanded={one.id === opened} onPress={() => setOpened(one.id === opened ? null : one.id)}>
              {one.event}
            </Button>
          ),
        },
        { id: "state", name: t("list.status"), cell: ({ state, error }) => <StateMark state={MARKS[state]} text={[t(`webhooks.${state}`), error].filter(Boolean).join(": ")} /> },
        { id: "attempts", name: t("webhooks.deliveries"), isSecondary: true, cell: ({ attempts }) => t("webhooks.attempts", { count: attempts }) },
        { id: "at", name: t("list.created"), isSecondary: true, cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
      actions={(one) =>
        mayResend ? <RowAction icon={RefreshCw} name={t("webhooks.redeliver")} of={one.event} onPress={() => again.mutate(one.id)} /> : null
      }
    >
      {shown && (
        <>
          <CodeBlock name={t("webhooks.request")} text={shown.request.body} />
          {shown.response && <CodeBlock name={t("webhooks.response")} text={`${shown.response.status}\n${shown.response.body ?? ""}`} />}
        </>
      )}
    </DeliveryPanel>
  );
}
