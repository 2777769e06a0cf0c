import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText, useTexts } from "@guildhall/console/i18n/texts";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { Switch } from "@guildhall/console/ui/Switch";
import { Time } from "@guildhall/console/ui/Time";
import { usePlugins, type Plugin } from "../plugins";
import { useLastChanges, type Change } from "./changes";
import cells from "@guildhall/console/ui/Cells.module.css";
import styles from "./Team.module.css";
import { useSwitches } from "@guildhall/console/ui/useSwitches";

const OF_OPERATORS = /^(instance|org):/;

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
  const plugins = usePlugins();
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
        {plugins.data.items.filter(isOfTeams).map(({ id, name, description, version, enabled }) => (
          <Setting key={id} name={name} text={`${description} · ${version}`} change={changes.get(id)}>
            <Switch aria-label={name} isSelected={standing(id, enabled)} onChange={(on) => flip({ name: id, enabled: on })} />
          </Setting>
        ))}
      </ul>
    </Panel>
  );
}

/** Whether a team has a say in a plugin: in what its people use, and not in what holds the instance together. */
function isOfTeams({ status, essential, source, routes, tools, workflows, job_kinds: kinds }: Plugin): boolean {
  if (status !== "loaded" || essential) return false;
  const isAskedFor = tools.length > 0 || workflows.length > 0 || kinds.some((kind) => kind.public);
  return isAskedFor || routes.some(({ permission }) => (permission === null ? source !== "builtin" : !OF_OPERATORS.test(permission)));
}

function Setting({ name, text, change, children }: { name: string; text: string; change?: Change | undefined; children: ReactNode }) {
  const t = useText();
  return (
    <li className={styles.setting}>
      <div>
        <div className={cells.strong}>{name}</div>
        <div className={cells.aside} dir="auto">
          {text}
        </div>
        {change && (
          <div className={cells.aside}>
            {t(change.enabled ? "features.on_by" : "features.off_by", { name: change.by })} · <Time at={change.at} />
          </div>
        )}
      </div>
      <div className={styles.side}>{children}</div>
    </li>
  );
}
