import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { dropDraft } from "@guildhall/console/drafts/store";
import { useText } from "@guildhall/console/i18n/texts";
import { useIdentity } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { EmptyState } from "@guildhall/console/ui/EmptyState";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { StateMark } from "@guildhall/console/ui/StateMark";
import { Table } from "@guildhall/console/ui/Table";
import { Time } from "@guildhall/console/ui/Time";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { usePages } from "@guildhall/console/ui/usePages";
import styles from "./Beta.module.css";
import { DRAFT_KEY, keptAs, loadDraft } from "./draft";

/** One that was published, or what a plugin offers. */
type Source = { version: number } | { plugin: string };

/** What was published, newest first, and what plugins offer; any of it can be made the draft. */
export function Versions() {
  const t = useText();
  const announce = useAnnounce();
  const { user, team } = useIdentity();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const versions = usePages(["beta", "versions"], (cursor) =>
    dataOf(api.GET("/api/beta/experience/versions", { params: { query: cursor } })),
  );
  const restore = useMutation({
    mutationFn: (source: Source) => dataOf(api.POST("/api/beta/experience/restore", { body: source })),
    onSuccess: (_, source) => {
      dropDraft(user.id, keptAs(team.id));
      client.removeQueries({ queryKey: DRAFT_KEY });
      announce("plugin" in source ? t("funnel.restored_offer", source) : t("funnel.restored", source));
      navigate("/beta-program/page");
    },
  });
  const draft = useQuery({ queryKey: DRAFT_KEY, queryFn: loadDraft, staleTime: Infinity });
  const offers = draft.data?.offers ?? [];
  if (versions.isPending) return <SkeletonRows />;
  if (versions.isLoadingError) return <ProblemNotice problem={versions.error} onRetry={() => void versions.refetch()} />;
  const items = versions.data.pages.flatMap((page) => page.items);
  return (
    <>
      <PageHead title={t("files.versions")} text={t("funnel.versions_intro")} />
      {restore.isError && <ProblemNotice problem={restore.error} />}
      {items.length === 0 ? (
        <EmptyState text={t("funnel.no_versions")} action={<Button kind="primary" onPress={() => navigate("/beta-program/page")}>{t("funnel.edit_page")}</Button>} />
      ) : (
        <Table
          label={t("files.versions")}
          items={items}
          idOf={({ id }) => id}
          columns={[
            { id: "version", name: t("files.versions"), cell: ({ version }) => t("files.version_number", { number: version }) },
            { id: "at", name: t("funnel.published_at"), cell: ({ published_at: at }) => <Time at={at} /> },
            { id: "current", name: t("list.status"), cell: ({ current }) => current && <StateMark state="active" text={t("funnel.current")} /> },
          ]}
          actions={({ version }) => (
            <Button kind="quiet" isPending={restore.isPending} aria-label={t("funnel.restore_version", { version })} onPress={() => restore.mutate({ version })}>
              {t("funnel.restore")}
            </Button>
          )}
        />
      )}
      {versions.hasNextPage && <Button onPress={() => void versions.fetchNextPage()}>{t("action.show_more")}</Button>}
      {offers.length > 0 && (
        <div className={styles.offers}>
          <Panel title={t("funnel.offers")}>
            <p>{t("funnel.offers_intro")}</p>
            <Table
              label={t("funnel.offered_by")}
              items={offers}
              idOf={(plugin) => plugin}
              columns={[{ id: "plugin", name: t("funnel.offered_by"), cell: (plugin) => plugin }]}
              actions={(plugin) => (
                <Button kind="quiet" isPending={restore.isPending} aria-label={t("funnel.restore_offer", { plugin })} onPress={() => restore.mutate({ plugin })}>
                  {t("funnel.restore")}
                </Button>
              )}
            />
          </Panel>
        </div>
      )}
    </>
  );
}
