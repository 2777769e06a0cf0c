import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText, useTexts } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { CopyButton } from "@guildhall/console/ui/CopyButton";
import { Actions, Modal } from "@guildhall/console/ui/Modal";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Select } from "@guildhall/console/ui/Select";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import type { StoredObject } from "../objects";
import styles from "./Document.module.css";

const HOUR = 3_600;
const DURATIONS = [HOUR, 24 * HOUR, 7 * 24 * HOUR];

export function useS3() {
  return useQuery({ queryKey: ["s3-credentials"], queryFn: () => dataOf(api.GET("/api/s3/credentials")), staleTime: 60_000 });
}

/** A link to an object that needs no signing in, for a while; it is signed with an S3 key of one's own. */
export function LinkDialog({ object, onClose }: { object: StoredObject; onClose: () => void }) {
  const t = useText();
  const keys = useS3();
  return (
    <Modal title={t("files.presign")} isOpen onClose={onClose}>
      {keys.isPending ? (
        <SkeletonRows count={2} />
      ) : keys.isLoadingError ? (
        <ProblemNotice problem={keys.error} onRetry={() => void keys.refetch()} />
      ) : keys.data.items.length === 0 ? (
        <>
          <p>{t("error.no_s3_key")}</p>
          <Link href="/s3-keys">{t("files.to_s3_keys")}</Link>
        </>
      ) : (
        <MakeLink object={object} onClose={onClose} />
      )}
    </Modal>
  );
}

function MakeLink({ object, onClose }: { object: StoredObject; onClose: () => void }) {
  const { t, locale } = useTexts();
  const [seconds, setSeconds] = useState(String(HOUR));
  const make = useMutation({
    mutationFn: () =>
      dataOf(api.POST("/api/repo-obj/{id}/presign", { params: { path: { id: object.id } }, body: { expires_in: Number(seconds) } })),
  });
  const format = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
  return (
    <>
      <p>{t("files.link_help")}</p>
      {make.isError && <ProblemNotice problem={make.error} />}
      <Select
        label={t("files.link_lasts")}
        value={seconds}
        onChange={setSeconds}
        options={DURATIONS.map((one) => ({ id: String(one), name: t("files.link_hours", { count: one / HOUR }) }))}
      />
      {make.data && (
        <div className={styles.link}>
          <code>{make.data.url}</code>
          <CopyButton text={make.data.url} name={t("files.link")} />
          <p className={styles.quiet}>{t("files.link_expires", { date: format.format(new Date(make.data.expires_at)) })}</p>
        </div>
      )}
      <Actions>
        <Button kind="quiet" onPress={onClose}>
          {t("action.close")}
        </Button>
        <Button kind="primary" isPending={make.isPending} onPress={() => make.mutate()}>
          {t("files.presign")}
        </Button>
      </Actions>
    </>
  );
}
