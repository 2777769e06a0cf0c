import { X } from "lucide-react";
import { Suspense } from "react";
import { Link } from "wouter";

import { useText, useTexts } from "@guildhall/console/i18n/texts";
import { useIdentity } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { lazyPart } from "@guildhall/console/ui/lazyPart";
import { Facts, Panel } from "@guildhall/console/ui/Panel";
import { formatSize } from "@guildhall/console/ui/sizes";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { Time } from "@guildhall/console/ui/Time";
import { EntryIcon } from "./FileIcon";
import { titleOf } from "./moves/places";
import { MANAGE, may, type StoredObject, type View } from "./objects";
import styles from "./SidePanel.module.css";
import { usePicked, type Selection } from "./selection";
import { isDrawn } from "./thumbnails";
import { Thumbnail } from "./Thumbnail";
import type { Entry } from "./tree";
import { addressIn } from "./Views";

const Details = lazyPart(() => import("./document/Details").then(({ Details: component }) => ({ default: component })));
const MAX_VERSIONS = 5;

interface AboutProps {
  view: View;
  selection: Selection;
  /** What one stands on, where nothing is selected. */
  active: Entry | null;
}

/** The details of what is selected, beside the list. */
export function SidePanel({ onClose, ...about }: AboutProps & { onClose: () => void }) {
  const t = useText();
  return (
    <aside className={styles.panel} aria-label={t("files.about")}>
      <div className={styles.close}>
        <Button kind="quiet" aria-label={t("files.hide_details")} onPress={onClose}>
          <X size={16} />
        </Button>
      </div>
      <About {...about} />
    </aside>
  );
}

/** What is known of one entry, or the sum of several. */
export function About({ view, selection, active }: AboutProps) {
  const { t, locale } = useTexts();
  const picked = [...usePicked(selection).values()];
  const entry = picked.length > 1 ? null : (picked[0] ?? active);
  if (picked.length > 1) {
    const bytes = picked.reduce((sum, one) => sum + (one.kind === "object" ? one.object.size : 0), 0);
    return (
      <>
        <h2>{t("files.selected", { count: picked.length })}</h2>
        <p className={styles.quiet}>{t("files.sum", { size: formatSize(bytes, locale) })}</p>
      </>
    );
  }
  if (!entry) return <p className={styles.quiet}>{t("files.select_for_details")}</p>;
  return entry.kind === "folder" ? <AboutFolder view={view} entry={entry} /> : <AboutFile object={entry.object} view={view} />;
}

function Head({ entry }: { entry: Entry }) {
  return (
    <h2 className={styles.title}>
      <EntryIcon entry={entry} />
      <bdi>{titleOf(entry)}</bdi>
    </h2>
  );
}

function AboutFolder({ view, entry }: { view: View; entry: Extract<Entry, { kind: "folder" }> }) {
  const t = useText();
  return (
    <>
      <Head entry={entry} />
      <Facts facts={[[t("list.type"), t("files.folder")], [t("files.key"), <code key="key">{entry.prefix}</code>]]} />
      <Link href={addressIn(view, entry.prefix)}>{t("action.open")}</Link>
    </>
  );
}

function AboutFile({ object, view }: { object: StoredObject; view: View }) {
  const { t, locale } = useTexts();
  const { team } = useIdentity();
  const entry: Entry = { kind: "object", id: object.id, object };
  return (
    <>
      <Head entry={entry} />
      {isDrawn(object) && view !== "deleted" && (
        <div className={styles.picture}>
          <Thumbnail object={object} />
        </div>
      )}
      {view !== "deleted" && (
        <p className={styles.links}>
          <Link href={`/files/${object.id}`}>{t("action.open")}</Link>
          {may(object, MANAGE) && <Link href={`/files/${object.id}?share=1`}>{t("action.share")}</Link>}
        </p>
      )}
      <Suspense fallback={<SkeletonRows count={4} />}>
        <Details object={object} isOurs={object.team_id === team.id} />
      </Suspense>
      {view !== "deleted" && (
        <Panel title={t("files.versions")}>
          <ol className={styles.versions}>
            {object.versions.slice(0, MAX_VERSIONS).map(({ version, created_at, size }) => (
              <li key={version}>
                <Link href={`/files/${object.id}${version === object.version ? "" : `?version=${version}`}`}>{t("files.version_number", { number: version })}</Link>
                <span className={styles.quiet}>
                  <Time at={created_at} /> · {formatSize(size, locale)}
                </span>
              </li>
            ))}
          </ol>
          {object.versions.length > MAX_VERSIONS && <Link href={`/files/${object.id}`}>{t("files.all_versions", { count: object.versions.length })}</Link>}
        </Panel>
      )}
    </>
  );
}
