import { TriangleAlert } from "lucide-react";

import { useLanguageName } from "@guildhall/console/i18n/languageName";
import { useText } from "@guildhall/console/i18n/texts";
import { Facts, Panel } from "@guildhall/console/ui/Panel";
import type { Prospect } from "./prospect";
import styles from "./Beta.module.css";

/** What was noticed about a sign-up; what speaks against it first. */
export function Signals({ prospect }: { prospect: Prospect }) {
  const t = useText();
  const nameOf = useLanguageName();
  const { signals, locale } = prospect;
  const warnings = [
    ...(signals.honeypot ? [t("prospects.signal_honeypot")] : []),
    ...(signals.disposable ? [t("prospects.signal_disposable")] : []),
  ];
  return (
    <Panel title={t("prospects.signals")}>
      {warnings.map((warning) => (
        <p key={warning} className={styles.warning}>
          <TriangleAlert size={16} aria-hidden="true" />
          {warning}
        </p>
      ))}
      <Facts
        facts={[
          [t("account.language"), nameOf(locale)],
          [t("prospects.signal_seconds"), t("prospects.seconds", { count: signals.seconds_to_submit })],
          [t("prospects.signal_repeats"), signals.repeats],
          [t("prospects.signal_referrer"), signals.referrer_host ?? t("state.none")],
          [t("prospects.signal_difficulty"), signals.difficulty],
          [t("prospects.signal_agent"), signals.agent || t("state.none")],
        ]}
      />
    </Panel>
  );
}
