import { PanelRightOpen, X } from "lucide-react";
import { Suspense } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { CodeBlock } from "@guildhall/console/ui/CodeBlock";
import { CopyButton } from "@guildhall/console/ui/CopyButton";
import { lazyPart } from "@guildhall/console/ui/lazyPart";
import { Markdown } from "@guildhall/console/ui/Markdown";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { csvOf, type Artifact } from "./artifacts";
import styles from "./ArtifactPanel.module.css";
import { Diagram } from "./Diagram";

const HtmlFrame = lazyPart(() => import("@guildhall/console/ui/HtmlFrame"));

/** The ways to open what an answer made, beside it. */
export function ArtifactButtons({ artifacts, onOpen }: { artifacts: readonly Artifact[]; onOpen: (artifact: Artifact) => void }) {
  const t = useText();
  if (artifacts.length === 0) return null;
  return (
    <div className={styles.buttons} role="group" aria-label={t("chat.artifacts")}>
      {artifacts.map((artifact, at) => (
        <Button key={at} onPress={() => onOpen(artifact)}>
          <PanelRightOpen size={16} aria-hidden="true" />
          {t(`chat.artifact_${artifact.kind}`)}
          {artifact.kind === "code" && artifact.language && ` (${artifact.language})`}
        </Button>
      ))}
    </div>
  );
}

/** One artifact beside the conversation. */
export function ArtifactPanel({ artifact, onClose }: { artifact: Artifact; onClose: () => void }) {
  const t = useText();
  const name = t(`chat.artifact_${artifact.kind}`);
  return (
    <aside className={styles.panel} aria-label={name}>
      <div className={styles.head}>
        <h2>{name}</h2>
        <CopyButton text={artifact.kind === "table" ? csvOf(artifact.text) : artifact.text} name={name} />
        <Button kind="quiet" aria-label={t("action.close")} onPress={onClose}>
          <X size={16} />
        </Button>
      </div>
      <div className={styles.body}>
        <Suspense fallback={<SkeletonRows />}>
          <Body artifact={artifact} name={name} />
        </Suspense>
      </div>
    </aside>
  );
}

function Body({ artifact: { kind, text }, name }: { artifact: Artifact; name: string }) {
  if (kind === "diagram") return <Diagram text={text} name={name} />;
  if (kind === "page") return <HtmlFrame className={styles.frame} html={text} title={name} />;
  if (kind === "table") return <Markdown text={text} />;
  return <CodeBlock text={text} name={name} />;
}
