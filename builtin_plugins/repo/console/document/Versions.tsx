import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText, useTexts } from "@guildhall/console/i18n/texts";
import { ActionMenu, type Action } from "@guildhall/console/ui/ActionMenu";
import { Button } from "@guildhall/console/ui/Button";
import { Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Time } from "@guildhall/console/ui/Time";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { download } from "../download";
import { keepObject, may, WRITE, type StoredObject, type Version } from "../objects";
import { formatSize, isText } from "@guildhall/console/ui/sizes";
import styles from "./Document.module.css";
import { usePeopleNames } from "./people";

const FIRST = 8;

/** Makes an older version the newest again; the way back is the version that was the newest. */
function useRestore(object: StoredObject) {
  const t = useText();
  const client = useQueryClient();
  const announce = useAnnounce();
  const [, navigate] = useLocation();
  const put = (version: number) =>
    dataOf(api.POST("/api/repo-obj/{id}/restore", { params: { path: { id: object.id } }, body: { version } }));
  return useMutation({
    mutationFn: put,
    onSuccess: (restored, version) => {
      keepObject(client, restored);
      navigate(`/files/${object.id}`);
      const undo = () => void put(object.version).then((back) => keepObject(client, back));
      announce(t("files.restored_version", { number: version, newest: restored.version }), undo);
    },
  });
}

/** Every version with who made it and when; each can be looked at, compared, downloaded and restored. */
export function Versions({ object, shown, hasLines }: { object: StoredObject; shown: number; hasLines: boolean }) {
  const { t, locale } = useTexts();
  const [isWhole, setWhole] = useState(false);
  const nameOf = usePeopleNames();
  const restore = useRestore(object);
  const [, navigate] = useLocation();
  const listed = isWhole ? object.versions : object.versions.slice(0, FIRST);
  const author = ({ created_by }: Version) =>
    nameOf(created_by) ?? (created_by === object.owner.id ? object.owner.name : t("files.somebody"));
  const actionsOf = (version: Version): Action[] => {
    const { version: number } = version;
    const isNewest = number === object.version;
    return [
      ...(hasLines && !isNewest
        ? [
            {
              id: "compare",
              name: t("files.compare", { version: t("files.version_number", { number: object.version }) }),
              onAction: () => navigate(`/files/${object.id}?show=compare&from=${number}&to=${object.version}`),
            },
          ]
        : []),
      { id: "download", name: t("action.download"), onAction: () => void download({ ...object, size: version.size }, number) },
      ...(!isNewest && may(object, WRITE)
        ? [{ id: "restore", name: t("files.restore_version"), onAction: () => restore.mutate(number) }]
        : []),
    ];
  };
  return (
    <Panel title={t("files.versions")}>
      {restore.isError && <ProblemNotice problem={restore.error} />}
      <ol className={styles.versions} aria-label={t("files.versions")}>
        {listed.map((version) => (
          <li key={version.version} className={styles.version}>
            <Link
              href={`/files/${object.id}${version.version === object.version ? "" : `?version=${version.version}`}`}
              className={styles.versionLink ?? ""}
              aria-current={version.version === shown ? "true" : undefined}
            >
              <span className={styles.versionName}>
                {t("files.version_number", { number: version.version })}
                {version.version === object.version && <span className={styles.newest}>{t("files.newest")}</span>}
              </span>
              <span className={styles.quiet}>
                <bdi>{author(version)}</bdi> · <Time at={version.created_at} /> · {formatSize(version.size, locale)}
              </span>
            </Link>
            <ActionMenu of={t("files.version_number", { number: version.version })} actions={actionsOf(version)} />
          </li>
        ))}
      </ol>
      {object.versions.length > FIRST && (
        <Button kind="quiet" onPress={() => setWhole(!isWhole)}>
          {isWhole ? t("action.show_less") : t("files.all_versions", { count: object.versions.length })}
        </Button>
      )}
    </Panel>
  );
}

/** Says that one looks at an older version, and offers to make it the newest again. */
export function OldVersion({ object, version }: { object: StoredObject; version: Version }) {
  const t = useText();
  const restore = useRestore(object);
  return (
    <div role="status" className={styles.notice}>
      <span>{t("files.old_version", { number: version.version, newest: object.version })}</span>
      <span className={styles.noticeActions}>
        <Link href={`/files/${object.id}`}>{t("files.to_newest")}</Link>
        {isText(version.content_type) && isText(object.content_type) && (
          <Link href={`/files/${object.id}?show=compare&from=${version.version}&to=${object.version}`}>{t("files.see_difference")}</Link>
        )}
        {may(object, WRITE) && (
          <Button isPending={restore.isPending} onPress={() => restore.mutate(version.version)}>
            {t("files.restore_version")}
          </Button>
        )}
      </span>
      {restore.isError && <ProblemNotice problem={restore.error} />}
    </div>
  );
}
