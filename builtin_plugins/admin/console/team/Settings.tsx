import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText, useTexts } from "@guildhall/console/i18n/texts";
import { useIdentity } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { CopyButton } from "@guildhall/console/ui/CopyButton";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { Facts, Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Select } from "@guildhall/console/ui/Select";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import cells from "@guildhall/console/ui/Cells.module.css";
import styles from "./Team.module.css";

/** What the team is, which model does its small work, and samples to try things with. */
export function Settings() {
  const t = useText();
  const { team, org } = useIdentity();
  return (
    <>
      <PageHead title={t("nav.settings")} />
      <Panel title={t("nav.group_team")}>
        <Facts
          facts={[
            [t("list.name"), <bdi key="name">{team.name}</bdi>],
            [t("nav.group_company"), <bdi key="org">{org.name}</bdi>],
            [
              "Id",
              <span key="id" className={styles.copied}>
                <span className={cells.code}>{team.id}</span>
                <CopyButton text={team.id} name="Id" />
              </span>,
            ],
          ]}
        />
      </Panel>
      <UtilityModel />
      <Samples />
    </>
  );
}

const DEFAULT = "";

/** Which executor drafts translations and reads documents for the team. */
function UtilityModel() {
  const t = useText();
  const client = useQueryClient();
  const announce = useAnnounce();
  const roles = useQuery({ queryKey: ["model-roles"], queryFn: () => dataOf(api.GET("/api/model-roles")) });
  const executors = useQuery({ queryKey: ["executors"], queryFn: () => dataOf(api.GET("/api/executors", { params: { query: { limit: 200 } } })) });
  const choose = useMutation({
    mutationFn: (name: string) => dataOf(api.PUT("/api/model-roles", { body: { roles: { utility: name === DEFAULT ? null : name } } })),
    onSuccess: (after) => {
      client.setQueryData(["model-roles"], after);
      announce(t("state.saved"));
    },
  });
  if (!roles.data || !executors.data) return null;
  const chosen = choose.isPending ? choose.variables : (roles.data.roles.utility ?? DEFAULT);
  const options = [
    { id: DEFAULT, name: `${t("executors.use_default")} (${roles.data.default.utility})` },
    ...executors.data.items.map(({ name, model }) => ({ id: name, name: model ? `${name} · ${model}` : name })),
  ];
  return (
    <Panel title={t("executors.utility")}>
      <p className={styles.text}>{t("executors.utility_help")}</p>
      {choose.isError && <ProblemNotice problem={choose.error} />}
      <div className={styles.narrow}>
        <Select label={t("executors.executor")} options={options} value={chosen} onChange={(name) => choose.mutate(name)} />
      </div>
    </Panel>
  );
}

function Samples() {
  const { t, has } = useTexts();
  const announce = useAnnounce();
  const client = useQueryClient();
  const [isDone, setDone] = useState(false);
  const seed = useMutation({
    mutationFn: () => api.POST("/api/admin/seed"),
    onSuccess: () => {
      setDone(true);
      announce(t("team.samples_done"));
      void client.invalidateQueries();
    },
  });
  return (
    <Panel title={t("team.samples")}>
      <p className={styles.text}>{t("team.samples_help")}</p>
      {seed.isError && <ProblemNotice problem={seed.error} />}
      <div className={styles.line}>
        <Button isPending={seed.isPending} isDisabled={isDone} onPress={() => seed.mutate()}>
          {t("team.samples_add")}
        </Button>
        {isDone && has("nav.notes") && <Link href="/notes">{t("nav.notes")}</Link>}
      </div>
    </Panel>
  );
}
