import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { ConfirmByName } from "@guildhall/console/ui/ConfirmByName";
import { FileButton } from "@guildhall/console/ui/FileButton";
import { Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Select } from "@guildhall/console/ui/Select";
import { usePages } from "@guildhall/console/ui/usePages";
import { inBase64, MAX_BYTES, typeOf } from "./assets";
import { ASSET_KINDS, type AssetKind, type Document } from "./experience";
import { faultOf } from "./faults";
import styles from "./Beta.module.css";

const NONE = "none";

interface AssetsPanelProps {
  chosen: Document["assets"];
  onChange: (assets: Document["assets"]) => void;
  fault: (pointer: string) => string | undefined;
}

/** The page's logo, picture and font: those of the team to choose from, and new ones from this device. */
export function AssetsPanel({ chosen, onChange, fault }: AssetsPanelProps) {
  const t = useText();
  const client = useQueryClient();
  const [erased, setErased] = useState<{ id: string; name: string } | null>(null);
  const assets = usePages(["beta", "assets"], (cursor) =>
    dataOf(api.GET("/api/beta/assets", { params: { query: { ...cursor, limit: 200 } } })),
  );
  const all = assets.data?.pages.flatMap((page) => page.items) ?? [];
  const upload = useMutation({
    mutationFn: async ({ kind, file }: { kind: AssetKind; file: File }) => {
      if (file.size > MAX_BYTES) throw new Error(t("funnel.asset_too_large"));
      const body = { kind, content_type: typeOf(file), data: await inBase64(file), filename: file.name };
      return dataOf(api.POST("/api/beta/assets", { body }));
    },
    onSuccess: (made) => {
      void client.invalidateQueries({ queryKey: ["beta", "assets"] });
      onChange({ ...chosen, [made.kind]: made.id });
    },
  });
  const erase = async (id: string) => {
    await api.DELETE("/api/beta/asset/{id}", { params: { path: { id } } });
    onChange(Object.fromEntries(Object.entries(chosen).filter(([, place]) => place !== id)));
    await client.invalidateQueries({ queryKey: ["beta", "assets"] });
  };
  const tooLarge = upload.error instanceof Error && upload.error.name === "Error" ? upload.error.message : null;
  return (
    <Panel title={t("funnel.assets")}>
      {upload.isError && (tooLarge ? <p className={styles.fault} role="alert">{tooLarge}</p> : <ProblemNotice problem={upload.error} />)}
      {assets.isError && <ProblemNotice problem={assets.error} onRetry={() => void assets.refetch()} />}
      {ASSET_KINDS.map((kind) => {
        const place = chosen[kind] ?? null;
        const own = all.filter((asset) => asset.kind === kind);
        const shipped = place !== null && place.startsWith("/") ? [{ id: place, name: place.split("/").at(-1) ?? place }] : [];
        const asset = own.find(({ id }) => id === place);
        return (
          <div key={kind} className={styles.asset}>
            <Select
              label={t(`funnel.asset_${kind}`)}
              options={[{ id: NONE, name: t("state.none") }, ...shipped, ...own.map(({ id, filename }) => ({ id, name: filename ?? id }))]}
              value={place ?? NONE}
              onChange={(id) => onChange({ ...chosen, [kind]: id === NONE ? null : id })}
              {...faultOf(fault(`/assets/${kind}`))}
            />
            {asset && kind !== "font" && <img src={asset.url} alt="" className={styles.picture} />}
            <FileButton
              label={t("funnel.asset_upload", { kind: t(`funnel.asset_${kind}`) })}
              accept={kind === "font" ? ".woff2,.woff" : "image/png,image/jpeg,image/webp,image/gif,image/svg+xml"}
              isPending={upload.isPending}
              onFile={(file) => upload.mutate({ kind, file })}
            >
              {t("action.upload")}
            </FileButton>
            {asset && (
              <Button kind="quiet" aria-label={`${t("action.delete")}: ${asset.filename ?? asset.id}`} onPress={() => setErased({ id: asset.id, name: asset.filename ?? asset.id })}>
                {t("action.delete")}
              </Button>
            )}
          </div>
        );
      })}
      {erased && (
        <ConfirmByName
          title={t("action.delete")}
          text={t("funnel.asset_delete_confirm")}
          name={erased.name}
          action={t("action.delete")}
          isOpen
          onClose={() => setErased(null)}
          onConfirm={() => erase(erased.id)}
        />
      )}
    </Panel>
  );
}
