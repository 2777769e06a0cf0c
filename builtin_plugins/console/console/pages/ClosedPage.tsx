import { useQuery } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { useIdentity, useMay } from "@guildhall/console/session/identity";
import { EmptyState } from "@guildhall/console/ui/EmptyState";
import { PageHead } from "@guildhall/console/ui/PageHead";
import notice from "@guildhall/console/ui/ProblemNotice.module.css";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";

interface Reason {
  title: string;
  text: string;
  action: ReactNode;
}

/** Why a plugin's page is not there, and who lifts that; null while nobody knows. */
function useReason(plugin: string): Reason | null {
  const t = useText();
  const may = useMay();
  const { operator } = useIdentity();
  const plugins = useQuery({ queryKey: ["plugins"], queryFn: () => dataOf(api.GET("/api/plugins")), staleTime: 60_000 });
  if (plugins.isPending) return null;
  const home = <Link href="/">{t("nav.home")}</Link>;
  const found = plugins.data?.items.find(({ id }) => id === plugin);
  if (!found) return { title: t("error.nowhere"), text: t("error.not_found"), action: home };
  const { name: title, status, enabled } = found;
  if (status !== "loaded") {
    const action = operator ? <Link href={`/instance/plugins/${plugin}`}>{t("nav.plugins")}</Link> : home;
    return { title, text: t("contributed.broken", { name: title }), action };
  }
  if (!enabled) {
    const action = may("settings:manage") ? <Link href="/features">{t("nav.features")}</Link> : home;
    return { title, text: `${t("error.feature_disabled", { feature: title })} ${t("gate.feature")}`, action };
  }
  return { title, text: `${t("contributed.gone")} ${t("gate.permission")}`, action: home };
}

/** The place of a page that cannot be shown. */
export function ClosedPage({ plugin }: { plugin: string }) {
  const reason = useReason(plugin);
  if (!reason) return <SkeletonRows />;
  return (
    <>
      <PageHead title={reason.title} />
      <EmptyState text={reason.text} action={reason.action} />
    </>
  );
}

/** The same above a page that is open. */
export function ClosedNotice({ plugin }: { plugin: string }) {
  const t = useText();
  const reason = useReason(plugin);
  if (!reason) return null;
  return (
    <div role="status" className={notice.notice}>
      <TriangleAlert size={16} className={notice.icon} aria-hidden="true" />
      <p className={notice.words}>{`${reason.text} ${t("gate.kept_open")}`}</p>
      {reason.action}
    </div>
  );
}
