import { useMutation, useQueryClient, type QueryKey } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useLocation } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { PagedTable, type PagedTableProps } from "@guildhall/console/ui/PagedTable";
import { Facts, Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Revoke } from "@guildhall/console/ui/Revoke";
import { Switch } from "@guildhall/console/ui/Switch";
import { useAnnounce } from "@guildhall/console/ui/Toasts";

interface HookFrameProps {
  title: string;
  enabled: boolean;
  /** The keys of the webhook itself and of the list that it stands in. */
  keys: { own: QueryKey; list: QueryKey };
  /** What is read anew once something has changed. */
  onChanged: () => void;
  onTurn: (isOn: boolean) => Promise<unknown>;
  onDelete: () => Promise<unknown>;
  /** Buttons beside those that both directions have. */
  tools?: ReactNode;
  problem?: Error | null;
  facts: readonly (readonly [string, ReactNode])[];
  children: ReactNode;
}

/** What the page of an incoming and of an outgoing webhook have alike: on and off, its facts, deleting it. */
export function HookFrame({ title, enabled, keys, onChanged, onTurn, onDelete, tools, problem, facts, children }: HookFrameProps) {
  const t = useText();
  const may = useMay();
  const announce = useAnnounce();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [isLeaving, setLeaving] = useState(false);
  const turn = useMutation({ mutationFn: onTurn, onSettled: onChanged });
  const failed = turn.error ?? problem;
  return (
    <>
      <PageHead title={title}>
        {may("workflows:write") && (
          <>
            <Switch isSelected={enabled} isDisabled={turn.isPending} onChange={(isOn) => turn.mutate(isOn)}>
              {enabled ? t("state.on") : t("state.off")}
            </Switch>
            {tools}
            <Button onPress={() => setLeaving(true)}>
              <Trash2 size={16} aria-hidden="true" />
              {t("action.delete")}
            </Button>
          </>
        )}
      </PageHead>
      {failed && <ProblemNotice problem={failed} />}
      <Facts facts={facts} />
      {children}
      {isLeaving && (
        <Revoke
          text={t("webhooks.delete_confirm")}
          action={t("action.delete")}
          onClose={() => setLeaving(false)}
          onRevoke={async () => {
            await onDelete();
            navigate("/webhooks");
            announce(t("webhooks.deleted"));
            client.removeQueries({ queryKey: keys.own });
            void client.invalidateQueries({ queryKey: keys.list });
          }}
        />
      )}
    </>
  );
}

interface DeliveryPanelProps<One> extends Pick<PagedTableProps<One>, "columns" | "actions"> {
  pages: PagedTableProps<One>["pages"] & { isFetching: boolean };
  problem: Error | null;
  children: ReactNode;
}

/** A webhook's deliveries, newest first; below them what one held that is open. */
export function DeliveryPanel<One extends { id: string }>({ pages, problem, children, ...table }: DeliveryPanelProps<One>) {
  const t = useText();
  return (
    <Panel
      title={t("webhooks.deliveries")}
      actions={
        <Button kind="quiet" isPending={pages.isFetching} onPress={() => void pages.refetch()}>
          {t("action.refresh")}
        </Button>
      }
    >
      {problem && <ProblemNotice problem={problem} />}
      <PagedTable
        label={t("webhooks.deliveries")}
        pages={pages}
        idOf={(one) => one.id}
        empty={{ text: t("webhooks.no_deliveries") }}
        {...table}
      />
      {children}
    </Panel>
  );
}
