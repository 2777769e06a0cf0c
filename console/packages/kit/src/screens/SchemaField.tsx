import { useId, type ReactNode } from "react";
import { CheckboxGroup, FieldError, Label, Text } from "react-aria-components";

import { Problem } from "../api/problem";
import { useText } from "../i18n/texts";
import { Checkbox } from "../ui/Checkbox";
import { useFieldFault } from "../ui/Form";
import { Select } from "../ui/Select";
import { TextField } from "../ui/TextField";
import field from "../ui/TextField.module.css";
import { usePluginText } from "./pages";
import styles from "./SchemaField.module.css";
import { bare, draftOf, escaped, isRecord, own, type Draft, type Schema } from "./schema";

export interface SchemaFieldProps {
  name: string;
  pointer: string;
  schema: Schema;
  draft: Draft;
  onChange: (draft: Draft) => void;
  isRequired: boolean;
  problem: Problem | null;
}

const LONG = 300;

/** One field of a form, by its schema: called by its title, helped by its description. */
export function SchemaField(props: SchemaFieldProps) {
  const t = useText();
  const say = usePluginText();
  const { draft, onChange, pointer, isRequired } = props;
  const { schema } = bare(props.schema);
  const label = say(schema.title ?? props.name);
  const words = [schema.description && say(schema.description), isRequired ? null : t("form.optional")];
  const help = words.filter(Boolean).join(" · ");
  const fault = faultAt(props.problem, pointer, schema.type === "array");
  if (schema.type === "object" && isRecord(draft)) return <Group {...props} schema={schema} label={label} help={help} />;
  if (schema.type === "boolean") {
    return <OnOff label={label} help={schema.description ? say(schema.description) : ""} fault={fault} isOn={draft === true} onChange={onChange} />;
  }
  if (schema.type === "array" && Array.isArray(draft)) {
    return schema.items?.enum ? (
      <Choices label={label} help={help} fault={fault} options={schema.items.enum} chosen={draft} onChange={onChange} />
    ) : (
      <TextField
        label={label}
        help={[t("form.one_per_line"), help].filter(Boolean).join(" · ")}
        rows={3}
        value={draft.join("\n")}
        onChange={(text) => onChange(text === "" ? [] : text.split("\n"))}
        {...(fault && { fault })}
      />
    );
  }
  if (schema.enum) {
    const none = isRequired ? [] : [{ id: "", name: "–" }];
    return (
      <Explained help={help}>
        <Select
          label={label}
          options={[...none, ...schema.enum.map((one) => ({ id: one, name: say(one) }))]}
          value={String(draft)}
          onChange={onChange}
          isRequired={isRequired}
          {...(fault && { fault })}
        />
      </Explained>
    );
  }
  const isFigure = schema.type === "integer" || schema.type === "number";
  return (
    <TextField
      label={label}
      {...(help && { help })}
      value={String(draft)}
      onChange={onChange}
      isRequired={isRequired && (isFigure || (schema.minLength ?? 0) > 0)}
      inputMode={schema.type === "integer" ? "numeric" : isFigure ? "decimal" : "text"}
      {...(!isFigure && (schema.maxLength ?? 0) > LONG && { rows: 4 })}
      {...(fault && { fault })}
    />
  );
}

/** The fields of an object; below the top it has a frame and a name. */
export function SchemaFields(props: Omit<SchemaFieldProps, "name" | "isRequired">) {
  const { schema, draft, onChange, pointer, problem } = props;
  const held = isRecord(draft) ? (draft as Record<string, Draft>) : {};
  return Object.entries(schema.properties ?? {}).map(([name, below]) => (
    <SchemaField
      key={name}
      name={name}
      pointer={`${pointer}/${escaped(name)}`}
      schema={below}
      draft={own(held, name) ?? draftOf(below)}
      onChange={(changed) => onChange({ ...held, [name]: changed })}
      isRequired={schema.required?.includes(name) ?? false}
      problem={problem}
    />
  ));
}

function Group({ label, help, ...props }: SchemaFieldProps & { label: string; help: string }) {
  return (
    <fieldset className={styles.group}>
      <legend>{label}</legend>
      {help && <p className={field.help}>{help}</p>}
      <SchemaFields {...props} />
    </fieldset>
  );
}

function OnOff(props: { label: string; help: string; fault: string | undefined; isOn: boolean; onChange: (on: boolean) => void }) {
  const id = useId();
  const words = useFieldFault({ label: props.label, value: String(props.isOn), fault: props.fault });
  return (
    <div className={field.field}>
      <Checkbox isSelected={props.isOn} onChange={props.onChange} aria-describedby={id}>
        {props.label}
      </Checkbox>
      <span id={id} className={words ? field.fault : field.help}>
        {words ?? props.help}
      </span>
    </div>
  );
}

interface ChoicesProps {
  label: string;
  help: string;
  fault: string | undefined;
  options: string[];
  chosen: string[];
  onChange: (chosen: string[]) => void;
}

function Choices({ label, help, fault, options, chosen, onChange }: ChoicesProps) {
  const say = usePluginText();
  const words = useFieldFault({ label, value: chosen.join("\n"), fault });
  return (
    <CheckboxGroup className={field.field} value={chosen} onChange={onChange} isInvalid={words !== undefined} validationBehavior="aria">
      <Label className={field.label}>{label}</Label>
      {help && (
        <Text slot="description" className={field.help}>
          {help}
        </Text>
      )}
      {options.map((option) => (
        <Checkbox key={option} value={option}>
          {say(option)}
        </Checkbox>
      ))}
      <FieldError className={field.fault}>{words}</FieldError>
    </CheckboxGroup>
  );
}

function Explained({ help, children }: { help: string; children: ReactNode }) {
  return (
    <div className={field.field}>
      {children}
      {help && <span className={field.help}>{help}</span>}
    </div>
  );
}

/** The fault of a field; of a list also that of one of its items. */
function faultAt(problem: Problem | null, pointer: string, withItems: boolean): string | undefined {
  const found = problem?.faults.find((fault) => fault.pointer === pointer || (withItems && fault.pointer.startsWith(`${pointer}/`)));
  return found?.message;
}
