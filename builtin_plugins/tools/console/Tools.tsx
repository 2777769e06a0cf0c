import { useQuery } from "@tanstack/react-query";
import { Braces } from "lucide-react";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { usePermissionWords } from "@guildhall/console/people/permissions";
import { Modal } from "@guildhall/console/ui/Modal";
import { PagedTable } from "@guildhall/console/ui/PagedTable";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { RowAction } from "@guildhall/console/ui/RowAction";
import { Switch } from "@guildhall/console/ui/Switch";
import { usePages } from "@guildhall/console/ui/usePages";
import styles from "./Team.module.css";
import { useSwitches } from "@guildhall/console/ui/useSwitches";

const AT_ONCE = 200;

/** Which tools the team's assistant and workflows have. */
export function Tools() {
  const t = useText();
  const [opened, setOpened] = useState<{ name: string; schema: unknown } | null>(null);
  const mayWords = usePermissionWords();
  const plugins = useQuery({ queryKey: ["plugins"], queryFn: () => dataOf(api.GET("/api/plugins")) });
  const nameOf = (source: string) => plugins.data?.items.find(({ id }) => id === source)?.name ?? source;
  const tools = usePages(["tools"], (cursor) => dataOf(api.GET("/api/tools", { params: { query: { ...cursor, limit: AT_ONCE } } })));
  const { flip, standing, problem } = useSwitches(["tools"], ({ name, enabled }) =>
    dataOf(api.POST("/api/tools/{name}", { params: { path: { name } }, body: { enabled } })),
  );
  return (
    <>
      <PageHead title={t("nav.tools")} text={t("tools.intro")} />
      {problem !== null && <ProblemNotice problem={problem} />}
      <PagedTable
        label={t("nav.tools")}
        pages={tools}
        idOf={({ name }) => name}
        empty={{ text: t("tools.none") }}
        columns={[
          {
            id: "name",
            name: t("list.name"),
            cell: ({ name, description }) => (
              <span className={styles.person}>
                <span className={styles.code}>{name}</span>
                <bdi className={styles.muted}>{description}</bdi>
              </span>
            ),
          },
          { id: "source", name: t("tools.from"), isSecondary: true, cell: ({ source }) => nameOf(source) },
          { id: "permission", name: t("tools.needs"), isSecondary: true, cell: ({ permission }) => <span title={permission}>{mayWords(permission)}</span> },
          {
            id: "enabled",
            name: t("state.on"),
            cell: ({ name, enabled }) => <Switch aria-label={name} isSelected={standing(name, enabled)} onChange={(on) => flip({ name, enabled: on })} />,
          },
        ]}
        actions={({ name, schema }) => (
          <RowAction icon={Braces} name={t("tools.schema")} of={name} onPress={() => setOpened({ name, schema })} />
        )}
      />
      {opened && (
        <Modal title={opened.name} isOpen onClose={() => setOpened(null)}>
          <pre className={styles.json} tabIndex={0} aria-label={t("tools.schema")}>
            {JSON.stringify(opened.schema, null, 2)}
          </pre>
        </Modal>
      )}
    </>
  );
}
