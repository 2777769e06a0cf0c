import { useQuery } from "@tanstack/react-query";
import { Lock } from "lucide-react";
import type { ReactNode } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText, useTexts } from "@guildhall/console/i18n/texts";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { StateMark } from "@guildhall/console/ui/StateMark";
import { Switch } from "@guildhall/console/ui/Switch";
import { Time } from "@guildhall/console/ui/Time";
import { useLastChanges, type Change } from "./changes";
import styles from "./Team.module.css";
import { useSwitches } from "@guildhall/console/ui/useSwitches";

/** What the whole team has or has not: features, and whole plugins. */
export function Features() {
  const t = useText();
  return (
    <>
      <PageHead title={t("nav.features")} text={t("features.intro")} />
      <FeatureSwitches />
      <PluginSwitches />
    </>
  );
}

function FeatureSwitches() {
  const { t, has } = useTexts();
  const features = useQuery({ queryKey: ["features"], queryFn: () => dataOf(api.GET("/api/features")) });
  const changes = useLastChanges("feature.changed");
  const { flip, standing, problem } = useSwitches(["features"], ({ name, enabled }) =>
    dataOf(api.POST("/api/features/{name}", { params: { path: { name } }, body: { enabled } })),
  );
  if (features.isPending) return <SkeletonRows />;
  if (features.isLoadingError) return <ProblemNotice problem={features.error} onRetry={() => void features.refetch()} />;
  return (
    <Panel title={t("nav.features")}>
      {problem !== null && <ProblemNotice problem={problem} />}
      <ul className={styles.settings}>
        {features.data.items.map(({ name, description, enabled }) => {
          const label = has(`nav.${name}`) ? t(`nav.${name}`) : name;
          return (
            <Setting key={name} name={label} text={has(`features.about_${name}`) ? t(`features.about_${name}`) : description} change={changes.get(name)}>
              <Switch aria-label={label} isSelected={standing(name, enabled)} onChange={(on) => flip({ name, enabled: on })} />
            </Setting>
          );
        })}
      </ul>
    </Panel>
  );
}

function PluginSwitches() {
  const t = useText();
  const plugins = useQuery({ queryKey: ["plugins"], queryFn: () => dataOf(api.GET("/api/plugins")) });
  const changes = useLastChanges("plugin.changed");
  const { flip, standing, problem } = useSwitches(["plugins"], ({ name, enabled }) =>
    dataOf(api.POST("/api/plugins/{id}", { params: { path: { id: name } }, body: { enabled } })),
  );
  if (!plugins.data) return plugins.isError ? <ProblemNotice problem={plugins.error} onRetry={() => void plugins.refetch()} /> : null;
  return (
    <Panel title={t("nav.plugins")}>
      <p className={styles.text}>{t("features.plugins_intro")}</p>
      {problem !== null && <ProblemNotice problem={problem} />}
      <ul className={styles.settings}>
        {plugins.data.items.map(({ id, name, description, version, status, essential, enabled }) => (
          <Setting key={id} name={name} text={`${description} · ${version}`} change={changes.get(id)}>
            {status !== "loaded" ? (
              <StateMark state="failed" text={t("features.plugin_broken")} />
            ) : essential ? (
              <span className={styles.locked}>
                <Lock size={16} aria-hidden="true" />
                {t("features.essential")}
              </span>
            ) : (
              <Switch aria-label={name} isSelected={standing(id, enabled)} onChange={(on) => flip({ name: id, enabled: on })} />
            )}
          </Setting>
        ))}
      </ul>
    </Panel>
  );
}

function Setting({ name, text, change, children }: { name: string; text: string; change?: Change | undefined; children: ReactNode }) {
  const t = useText();
  return (
    <li className={styles.setting}>
      <div>
        <div className={styles.strong}>{name}</div>
        <div className={styles.muted} dir="auto">
          {text}
        </div>
        {change && (
          <div className={styles.muted}>
            {t(change.enabled ? "features.on_by" : "features.off_by", { name: change.by })} · <Time at={change.at} />
          </div>
        )}
      </div>
      <div className={styles.side}>{children}</div>
    </li>
  );
}
