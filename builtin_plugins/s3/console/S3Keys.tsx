import { useQueryClient } from "@tanstack/react-query";
import { Ban, Plus } from "lucide-react";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { CopyButton } from "@guildhall/console/ui/CopyButton";
import { PagedTable } from "@guildhall/console/ui/PagedTable";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { Facts, Panel } from "@guildhall/console/ui/Panel";
import { RowAction } from "@guildhall/console/ui/RowAction";
import { Time } from "@guildhall/console/ui/Time";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { usePages } from "@guildhall/console/ui/usePages";
import { NewS3Key } from "./NewS3Key";
import { Revoke } from "@guildhall/console/ui/Revoke";
import { Lifecycle } from "./Lifecycle";
import { SnippetList } from "./SnippetList";
import { KEY_PLACEHOLDER, SECRET_PLACEHOLDER, type S3Place } from "./snippets";
import styles from "./Team.module.css";

/** One's own access keys, and where to use them. */
export function S3Keys() {
  const t = useText();
  const client = useQueryClient();
  const announce = useAnnounce();
  const may = useMay();
  const [isMaking, setMaking] = useState(false);
  const [ending, setEnding] = useState<{ id: string; name: string } | null>(null);
  const keys = usePages(["s3-keys"], (cursor) => dataOf(api.GET("/api/s3/credentials", { params: { query: cursor } })));
  // Each page says where to connect too.
  const place = keys.data?.pages[0] as (S3Place & object) | undefined;
  const refetch = () => void client.invalidateQueries({ queryKey: ["s3-keys"] });
  const make = (
    <Button kind="primary" onPress={() => setMaking(true)}>
      <Plus size={16} aria-hidden="true" />
      {t("s3.new")}
    </Button>
  );
  return (
    <>
      <PageHead title={t("nav.s3_keys")} text={t("s3.empty")}>
        {make}
      </PageHead>
      {place && (
        <Panel title={t("s3.where")}>
          <Facts
            facts={[
              [t("s3.endpoint"), <Copied key="endpoint" name={t("s3.endpoint")} text={place.endpoint} />],
              [t("s3.bucket"), <Copied key="bucket" name={t("s3.bucket")} text={place.bucket} />],
              [t("s3.region"), <Copied key="region" name={t("s3.region")} text={place.region} />],
            ]}
          />
          <p className={styles.help}>{t("s3.snippets_help")}</p>
          <SnippetList place={place} keyId={KEY_PLACEHOLDER} secret={SECRET_PLACEHOLDER} />
        </Panel>
      )}
      <PagedTable
        label={t("nav.s3_keys")}
        pages={keys}
        idOf={({ id }) => id}
        empty={{ text: t("s3.none"), action: make }}
        columns={[
          { id: "key", name: t("s3.access_key"), cell: ({ access_key_id }) => <span className={styles.code}>{access_key_id}</span> },
          {
            id: "scope",
            name: t("tokens.scope"),
            isSecondary: true,
            cell: ({ scope }) => (
              <span className={styles.code}>{[scope.prefix && `${scope.prefix}…`, scope.permissions?.join(", ")].filter(Boolean).join(" · ") || t("tokens.scope_all")}</span>
            ),
          },
          { id: "made", name: t("list.created"), isSecondary: true, cell: ({ created_at }) => <Time at={created_at} /> },
          { id: "used", name: t("tokens.last_used"), cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} /> : t("state.never")) },
          { id: "ends", name: t("tokens.ends"), isSecondary: true, cell: ({ expires_at }) => (expires_at ? <Time at={expires_at} /> : t("state.never")) },
        ]}
        actions={({ id, access_key_id: name }) => (
          <RowAction icon={Ban} name={t("action.revoke")} of={name} onPress={() => setEnding({ id, name })} />
        )}
      />
      {may("settings:manage") && <Lifecycle />}
      {isMaking && <NewS3Key onClose={() => setMaking(false)} onMade={refetch} />}
      {ending && (
        <Revoke
          text={t("s3.revoke_confirm", { name: ending.name })}
          onClose={() => setEnding(null)}
          onRevoke={async () => {
            await api.DELETE("/api/s3/credentials/{id}", { params: { path: { id: ending.id } } });
            announce(t("tokens.revoked", { name: ending.name }));
            refetch();
          }}
        />
      )}
    </>
  );
}

function Copied({ name, text }: { name: string; text: string }) {
  return (
    <span className={styles.copied}>
      <span className={styles.code}>{text}</span>
      <CopyButton text={text} name={name} />
    </span>
  );
}
