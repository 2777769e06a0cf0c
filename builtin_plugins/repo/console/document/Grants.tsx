import { useState } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Select } from "@guildhall/console/ui/Select";
import { useChanges, type Failed } from "../changes";
import type { StoredObject, Visibility } from "../objects";
import { GrantList } from "./GrantList";
import { useGrants } from "./grantsQuery";
import styles from "./Document.module.css";

const VISIBILITIES = ["private", "shared", "team"] as const;

/** Who sees an object: its visibility, and who was given more. */
export function Grants({ object, onShare }: { object: StoredObject; onShare: () => void }) {
  const t = useText();
  const grants = useGrants(object.id);
  const { show } = useChanges();
  const [failed, setFailed] = useState<readonly Failed[]>([]);
  const items = grants.data?.items ?? [];
  return (
    <Panel
      title={t("files.access")}
      actions={
        <Button kind="quiet" onPress={onShare}>
          {t("action.share")}
        </Button>
      }
    >
      <Select
        label={t("visibility.label")}
        value={object.visibility}
        onChange={(visibility) => visibility !== object.visibility && void show([object], visibility as Visibility).then(setFailed)}
        options={VISIBILITIES.map((id) => ({ id, name: t(`visibility.${id}`) }))}
      />
      {failed[0] && <ProblemNotice problem={failed[0].problem} />}
      {grants.isError && <ProblemNotice problem={grants.error} onRetry={() => void grants.refetch()} />}
      {object.visibility === "private" && items.length > 0 && <p className={styles.quiet}>{t("files.grants_sleep")}</p>}
      {grants.data && (items.length > 0 ? <GrantList object={object} grants={items} /> : <p className={styles.quiet}>{t("share.nobody")}</p>)}
    </Panel>
  );
}
