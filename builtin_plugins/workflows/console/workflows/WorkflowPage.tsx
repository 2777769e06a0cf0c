import { History, Pencil, Play } from "lucide-react";
import { useMemo } from "react";
import { useLocation } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { usePluginName } from "@guildhall/console/screens/pages";
import { useMay } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { Editor } from "@guildhall/console/ui/Editor";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { SubNavigation } from "@guildhall/console/ui/SubNavigation";
import { InputTable } from "./InputTable";
import { graphOf } from "./spec";
import { StepGraph } from "./StepGraph";
import { StepList } from "./StepList";
import { Versions } from "./Versions";
import { Warnings } from "./Warnings";
import { specText, useWorkflow, type Workflow } from "./workflow";
import { WorkflowActions } from "./WorkflowActions";
import styles from "./WorkflowPage.module.css";

/** One workflow: its steps, its source, its versions, and the way to run it. */
export function WorkflowPage({ slug, part }: { slug: string; part: string }) {
  const t = useText();
  const workflow = useWorkflow(slug);
  const at = `/workflows/${slug}`;
  if (workflow.isPending) return <SkeletonRows />;
  if (workflow.isLoadingError) return <ProblemNotice problem={workflow.error} onRetry={() => void workflow.refetch()} />;
  return (
    <>
      <Head workflow={workflow.data} />
      <SubNavigation
        label={workflow.data.name}
        tabs={[
          { path: `${at}/steps`, name: t("workflows.graph") },
          { path: `${at}/source`, name: t("workflows.source") },
          { path: `${at}/versions`, name: t("workflows.versions") },
        ]}
      />
      {part === "versions" ? (
        <Versions workflow={workflow.data} />
      ) : part === "source" ? (
        <div className={styles.source}>
          <Editor value={specText(workflow.data)} language="json" label={t("workflows.source")} isReadOnly grows />
        </div>
      ) : (
        <Steps workflow={workflow.data} />
      )}
    </>
  );
}

function Head({ workflow }: { workflow: Workflow }) {
  const t = useText();
  const may = useMay();
  const [, navigate] = useLocation();
  const nameOf = usePluginName();
  const { slug, name, source, version } = workflow;
  const origin = source ? t("workflows.shipped_by", { plugin: nameOf(source) }) : t("workflows.own");
  return (
    <PageHead title={name} text={`${slug} · ${t("workflows.version", { version })} · ${origin}`}>
      <Button kind="quiet" onPress={() => navigate(`/runs?workflow=${slug}`)}>
        <History size={16} />
        {t("nav.runs")}
      </Button>
      {may("workflows:write") && <WorkflowActions workflow={workflow} />}
      {may("workflows:write") && (
        <Button onPress={() => navigate(`/workflows/${slug}/edit`)}>
          <Pencil size={16} />
          {t("action.edit")}
        </Button>
      )}
      {may("workflows:run") && (
        <Button kind="primary" isDisabled={!workflow.enabled} onPress={() => navigate(`/workflows/${slug}/run`)}>
          <Play size={16} />
          {t("workflows.run")}
        </Button>
      )}
    </PageHead>
  );
}

function Steps({ workflow }: { workflow: Workflow }) {
  const graph = useMemo(() => graphOf(workflow.spec), [workflow]);
  const show = (name: string) => {
    const found = document.getElementById(`step-${name}`)?.querySelector("details");
    if (!found) return;
    found.open = true;
    found.scrollIntoView({ block: "nearest" });
  };
  return (
    <>
      <Warnings warnings={workflow.warnings} />
      <div className={styles.split}>
        <StepGraph graph={graph} onSelect={show} />
        <div className={styles.side}>
          <StepList graph={graph} />
          <InputTable workflow={workflow} />
        </div>
      </div>
    </>
  );
}
