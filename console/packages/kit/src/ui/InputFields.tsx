import type { Problem } from "../api/problem";
import { useText } from "../i18n/texts";
import { useMay } from "../session/identity";
import { Switch } from "./Switch";
import { TextField } from "./TextField";
import { DocumentField } from "./DocumentField";
import { inputPointer, type Entries, type Fault, type InputField } from "./inputs";

export interface InputFieldsProps {
  fields: readonly InputField[];
  entries: Entries;
  faults: Record<string, Fault>;
  problem: Problem | null;
  onChange: (changed: Entries) => void;
}

/** A field for each input that a workflow declares, by its name and kind. */
export function InputFields({ fields, entries, faults, problem, onChange }: InputFieldsProps) {
  const t = useText();
  return fields.map((field) => {
    const { name } = field;
    const fault = faults[name] ? t(`workflows.fault_${faults[name]}`) : problem?.at(inputPointer(name));
    const set = (entry: string) => onChange({ [name]: entry });
    return <Field key={name} field={field} entry={entries[name] ?? ""} fault={fault} onChange={set} />;
  });
}

interface FieldProps {
  field: InputField;
  entry: string;
  fault: string | undefined;
  onChange: (entry: string) => void;
}

const LINES: Partial<Record<InputField["type"], number>> = { string: 2, array: 4, object: 6 };

function Field({ field, entry, fault, onChange }: FieldProps) {
  const t = useText();
  const may = useMay();
  const { name, type, isRequired, isDocument } = field;
  const help = `${t(`workflows.help_${type}`)}${isRequired ? "" : ` · ${t("form.optional")}`}`;
  if (type === "boolean") {
    return (
      <Switch isSelected={entry === "true"} onChange={(isOn) => onChange(String(isOn))}>
        {name}
      </Switch>
    );
  }
  if (isDocument && may("files:read")) return <DocumentField name={name} value={entry} fault={fault} isRequired={isRequired} onChange={onChange} />;
  const rows = LINES[type];
  return (
    <TextField
      label={name}
      help={help}
      value={entry}
      onChange={onChange}
      {...(fault && { fault })}
      {...(rows && { rows })}
      {...(rows ? {} : { inputMode: type === "integer" ? ("numeric" as const) : ("decimal" as const) })}
    />
  );
}
