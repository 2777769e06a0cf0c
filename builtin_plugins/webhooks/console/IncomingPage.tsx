import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Play, Trash2 } from "lucide-react";
import { useState } from "react";
import { Link, useLocation } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { useLive } from "@guildhall/console/api/live";
import { useText } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { CodeBlock } from "@guildhall/console/ui/CodeBlock";
import { CopyButton } from "@guildhall/console/ui/CopyButton";
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
  const announce = useAnnounce();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [isLeaving, setLeaving] = useState(false);
  const path = { path: { id } };
  const refetchList = () => void client.invalidateQueries({ queryKey: IN });
  const refetch = () => {
    void client.invalidateQueries({ queryKey: ["hook-in", id] });
    refetchList();
  };
  const turn = useMutation({ mutationFn: (isOn: boolean) => dataOf(api.PATCH("/api/hooks-in/{id}", { params: path, body: { enabled: isOn } })), onSettled: refetch });
  return (
    <>
      <PageHead title={slug}>
        {may("workflows:write") && (
          <>
            <Switch isSelected={enabled} isDisabled={turn.isPending} onChange={(isOn) => turn.mutate(isOn)}>
              {enabled ? t("state.on") : t("state.off")}
            </Switch>
            <Button onPress={() => setLeaving(true)}>
              <Trash2 size={16} aria-hidden="true" />
              {t("action.delete")}
            </Button>
          </>
        )}
      </PageHead>
      {turn.isError && <ProblemNotice problem={turn.error} />}
      <Facts
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
      />
      <Deliveries id={id} mayReplay={may("workflows:write")} />
      {isLeaving && (
        <Revoke
          text={t("webhooks.delete_confirm")}
          action={t("action.delete")}
          onClose={() => setLeaving(false)}
          onRevoke={async () => {
            await api.DELETE("/api/hooks-in/{id}", { params: path });
            navigate("/webhooks");
            announce(t("webhooks.deleted"));
            client.removeQueries({ queryKey: ["hook-in", id] });
            refetchList();
          }}
        />
      )}
    </>
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
      />
      {shown?.body && <CodeBlock name={t("webhooks.request")} text={shown.body} />}
    </Panel>
  );
}
