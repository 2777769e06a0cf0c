import { useText } from "@guildhall/console/i18n/texts";
import { Table } from "@guildhall/console/ui/Table";
import { fieldsOf, type InputField } from "@guildhall/console/ui/inputs";
import { declaredInputs, type WorkflowSummary } from "./workflow";
import styles from "./InputTable.module.css";

/** What a run of a workflow is given. */
export function InputTable({ workflow }: { workflow: WorkflowSummary }) {
  const t = useText();
  const fields = fieldsOf(declaredInputs(workflow));
  if (fields.length === 0) return <p className={styles.none}>{t("workflows.no_inputs")}</p>;
  return (
    <section>
      <h2>{t("workflows.inputs_label")}</h2>
      <Table
        label={t("workflows.inputs_label")}
        items={fields}
        idOf={({ name }) => name}
        columns={[
          { id: "name", name: t("list.name"), cell: ({ name }) => <code>{name}</code> },
          { id: "type", name: t("list.type"), cell: ({ type }) => t(`workflows.type_${type}`) },
          { id: "given", name: t("workflows.given"), cell: (field) => given(field, t) },
        ]}
      />
    </section>
  );
}

function given(field: InputField, t: ReturnType<typeof useText>): string {
  if (field.isRequired) return t("form.required");
  return field.hasDefault ? t("workflows.by_default", { value: JSON.stringify(field.default).slice(0, 80) }) : t("form.optional");
}
