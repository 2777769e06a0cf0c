import { useQuery } from "@tanstack/react-query";
import { ExternalLink } from "lucide-react";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useLanguageName } from "@guildhall/console/i18n/languageName";
import { useText } from "@guildhall/console/i18n/texts";
import { Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Select } from "@guildhall/console/ui/Select";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import styles from "./Beta.module.css";

// Less than what a ticket lasts.
const FRESH_MS = 8 * 60 * 1000;

/** The saved draft as visitors would see it, in a frame of nobody's origin; it signs nobody up. */
export function Preview({ version, locales, isBehind }: { version: number; locales: string[]; isBehind: boolean }) {
  const t = useText();
  const nameOf = useLanguageName();
  const [chosen, setChosen] = useState<string | null>(null);
  const locale = chosen !== null && locales.includes(chosen) ? chosen : (locales[0] ?? "en");
  const ticket = useQuery({
    queryKey: ["beta", "preview", version],
    queryFn: () => dataOf(api.POST("/api/beta/experience/preview")),
    staleTime: FRESH_MS,
    refetchInterval: FRESH_MS,
  });
  const address = ticket.data && `${ticket.data.url}?locale=${encodeURIComponent(locale)}`;
  return (
    <div className={styles.preview}>
      <Panel
        title={t("funnel.preview")}
        actions={
          address && (
            <a href={address} target="_blank" rel="noreferrer" className={styles.outside}>
              <ExternalLink size={16} aria-hidden="true" />
              {t("funnel.preview_open")}
            </a>
          )
        }
      >
        {locales.length > 1 && (
          <Select
            label={t("account.language")}
            isLabelHidden
            options={locales.map((id) => ({ id, name: nameOf(id) }))}
            value={locale}
            onChange={setChosen}
          />
        )}
        <p className={styles.muted} role="status">
          {isBehind ? t("funnel.preview_behind") : t("funnel.preview_saved")}
        </p>
        {ticket.isError && <ProblemNotice problem={ticket.error} onRetry={() => void ticket.refetch()} />}
        {address ? (
          <iframe key={address} src={address} title={t("funnel.preview")} sandbox="allow-scripts" className={styles.frame} />
        ) : (
          <SkeletonRows />
        )}
      </Panel>
    </div>
  );
}
