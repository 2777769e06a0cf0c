import { useText } from "@guildhall/console/i18n/texts";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { useFilters } from "@guildhall/console/ui/query";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { SpecEditor } from "./SpecEditor";
import { TemplateList } from "./TemplateList";
import { specText, useWorkflow } from "./workflow";

const TEMPLATE = {
  slug: "my-workflow",
  name: "My workflow",
  inputs: { message: { type: "string" } },
  start: "count",
  max_steps: 10,
  steps: [{ name: "count", kind: "tool", tool: "word_count", with: { text: { $from: "input.message" } } }],
};

export function NewWorkflow() {
  const t = useText();
  return (
    <>
      <SpecEditor
        title={t("workflows.new")}
        text={t("workflows.new_about")}
        thing="workflow.new"
        first={JSON.stringify(TEMPLATE, null, 2)}
        back="/workflows"
      />
      <TemplateList />
    </>
  );
}

/** A new version of a workflow, begun from the current one or from the one that the address names. */
export function WorkflowEdit({ slug }: { slug: string }) {
  const t = useText();
  const [filters] = useFilters();
  const from = Number(filters.version) || undefined;
  const workflow = useWorkflow(slug, from);
  if (workflow.isPending) return <SkeletonRows />;
  if (workflow.isLoadingError) return <ProblemNotice problem={workflow.error} onRetry={() => void workflow.refetch()} />;
  const { name, source, version } = workflow.data;
  return (
    <SpecEditor
      title={t("workflows.edit", { name })}
      text={source ? t("workflows.edit_shipped", { plugin: source }) : t("workflows.edit_about", { version })}
      thing={`workflow.${slug}`}
      first={specText(workflow.data)}
      base={String(version)}
      back={`/workflows/${slug}/steps`}
    />
  );
}
