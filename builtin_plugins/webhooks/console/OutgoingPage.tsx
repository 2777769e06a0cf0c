import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { RefreshCw, Send, Trash2 } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { useLive } from "@guildhall/console/api/live";
import { useText } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { CodeBlock } from "@guildhall/console/ui/CodeBlock";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { PagedTable } from "@guildhall/console/ui/PagedTable";
import { Facts, Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Revoke } from "@guildhall/console/ui/Revoke";
import { RowAction } from "@guildhall/console/ui/RowAction";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { StateMark } from "@guildhall/console/ui/StateMark";
import { Switch } from "@guildhall/console/ui/Switch";
import { Time } from "@guildhall/console/ui/Time";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { usePages } from "@guildhall/console/ui/usePages";
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
  const [, navigate] = useLocation();
  const [isLeaving, setLeaving] = useState(false);
  const path = { path: { id } };
  const refetchList = () => void client.invalidateQueries({ queryKey: OUT });
  const refetch = () => {
    void client.invalidateQueries({ queryKey: ["webhook", id] });
    refetchList();
  };
  const turn = useMutation({ mutationFn: (isOn: boolean) => dataOf(api.PATCH("/api/webhooks/{id}", { params: path, body: { enabled: isOn } })), onSettled: refetch });
  const rotate = useMutation({ mutationFn: () => dataOf(api.POST("/api/webhooks/{id}/rotate", { params: path })), onSettled: refetch });
  const test = useMutation({
    mutationFn: () => dataOf(api.POST("/api/webhooks/{id}/test", { params: path })),
    onSuccess: () => announce(t("webhooks.tested")),
    onSettled: refetch,
  });
  const problem = turn.error ?? rotate.error ?? test.error;
  return (
    <>
      <PageHead title={url}>
        {may("workflows:write") && (
          <>
            <Switch isSelected={enabled} isDisabled={turn.isPending} onChange={(isOn) => turn.mutate(isOn)}>
              {enabled ? t("state.on") : t("state.off")}
            </Switch>
            <Button isPending={test.isPending} isDisabled={!enabled} onPress={() => test.mutate()}>
              <Send size={16} aria-hidden="true" />
              {t("webhooks.test")}
            </Button>
            <Button isPending={rotate.isPending} onPress={() => rotate.mutate()}>
              <RefreshCw size={16} aria-hidden="true" />
              {t("webhooks.rotate")}
            </Button>
            <Button onPress={() => setLeaving(true)}>
              <Trash2 size={16} aria-hidden="true" />
              {t("action.delete")}
            </Button>
          </>
        )}
      </PageHead>
      {problem && <ProblemNotice problem={problem} />}
      <Facts
        facts={[
          [t("list.status"), <OnOff key="on" {...webhook} />],
          [t("webhooks.events"), events.join(", ")],
          [t("webhooks.ordered"), ordered ? t("state.on") : t("state.off")],
          [t("list.owner"), webhook.owner.name ?? ""],
        ]}
      />
      <Deliveries id={id} mayResend={may("workflows:write") && enabled} />
      {rotate.isSuccess && <ShowSecret title={url} secret={rotate.data.secret} onClose={() => rotate.reset()} />}
      {isLeaving && (
        <Revoke
          text={t("webhooks.delete_confirm")}
          action={t("action.delete")}
          onClose={() => setLeaving(false)}
          onRevoke={async () => {
            await api.DELETE("/api/webhooks/{id}", { params: path });
            navigate("/webhooks");
            announce(t("webhooks.deleted"));
            client.removeQueries({ queryKey: ["webhook", id] });
            refetchList();
          }}
        />
      )}
    </>
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
    <Panel
      title={t("webhooks.deliveries")}
      actions={
        <Button kind="quiet" isPending={deliveries.isFetching} onPress={() => void deliveries.refetch()}>
          {t("action.refresh")}
        </Button>
      }
    >
      {again.isError && <ProblemNotice problem={again.error} />}
      <PagedTable
        label={t("webhooks.deliveries")}
        pages={deliveries}
        idOf={(one) => one.id}
        empty={{ text: t("webhooks.no_deliveries") }}
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
      />
      {shown && (
        <>
          <CodeBlock name={t("webhooks.request")} text={shown.request.body} />
          {shown.response && <CodeBlock name={t("webhooks.response")} text={`${shown.response.status}\n${shown.response.body ?? ""}`} />}
        </>
      )}
    </Panel>
  );
}
