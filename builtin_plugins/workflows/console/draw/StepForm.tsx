import { ArrowDown, ArrowUp, Trash2 } from "lucide-react";

import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Panel } from "@guildhall/console/ui/Panel";
import { Select } from "@guildhall/console/ui/Select";
import { Switch } from "@guildhall/console/ui/Switch";
import { TextField } from "@guildhall/console/ui/TextField";
import { KindIcon } from "../workflows/KindIcon";
import { isRecord } from "../workflows/spec";
import styles from "./Draw.module.css";
import { at, changeStep, moveStep, referencesFor, removeStep, type Spec, type Step } from "./drawing";
import type { Found, Kind, KnownTool, Schema } from "./format";
import { JsonField, ValueField } from "./ValueField";

export interface StepFormProps {
  spec: Spec;
  pointer: string;
  kinds: readonly Kind[];
  tools: readonly KnownTool[];
  problems: readonly Found[];
  onChange: (spec: Spec, pointer: string | null) => void;
}

const OF_THE_STEP = new Set(["name", "kind"]);

/** A form of one step, made of the schema of its kind and of its tool's arguments. */
export function StepForm({ spec, pointer, kinds, tools, problems, onChange }: StepFormProps) {
  const t = useText();
  const step = at(spec, pointer);
  if (!isRecord(step)) return <p className={styles.hint}>{t("workflows.choose_step")}</p>;
  const kind = kinds.find((one) => one.kind === step.kind);
  const references = referencesFor(spec, pointer);
  const set = (changed: Step) => onChange(changeStep(spec, pointer, changed), pointer);
  const setField = (name: string, value: unknown) => {
    const { [name]: _, ...rest } = step;
    set(value === undefined ? rest : { ...rest, [name]: value });
  };
  const faultAt = (place: string) => problems.find((one) => one.pointer === `${pointer}${place}`)?.message;
  const siblings = (at(spec, pointer.slice(0, pointer.lastIndexOf("/"))) as Step[])
    .map(({ name }) => String(name))
    .filter((name) => name !== step.name);
  const move = (by: 1 | -1) => {
    const moved = moveStep(spec, pointer, by);
    onChange(moved.spec, moved.pointer);
  };
  const whole = problems.find((one) => one.pointer === pointer)?.message;
  const tool = tools.find(({ name }) => name === step.tool);
  return (
    <Panel
      title={t("runs.step", { name: String(step.name) })}
      actions={
        <>
          <Button kind="quiet" aria-label={t("workflows.move_up")} onPress={() => move(-1)}>
            <ArrowUp size={16} />
          </Button>
          <Button kind="quiet" aria-label={t("workflows.move_down")} onPress={() => move(1)}>
            <ArrowDown size={16} />
          </Button>
          <Button kind="quiet" aria-label={t("workflows.remove_step")} onPress={() => onChange(removeStep(spec, pointer), null)}>
            <Trash2 size={16} />
          </Button>
        </>
      }
    >
      <div className={styles.form}>
        <p className={styles.hint}>
          <KindIcon kind={String(step.kind)} /> {kind?.doc}
        </p>
        {whole && <p className={styles.fault}>{whole}</p>}
        <TextField
          label={t("workflows.step_name")}
          value={String(step.name)}
          {...faultProps(faultAt("/name"))}
          onChange={(name) => name && setField("name", name)}
        />
        {Object.entries(kind?.fields ?? {})
          .filter(([name]) => !OF_THE_STEP.has(name))
          .map(([name, schema]) =>
            name === "with" && tool ? (
              <Arguments key={name} step={step} tool={tool} references={references} faultAt={faultAt} onChange={(value) => setField("with", value)} />
            ) : (
              <FieldOf
                key={name}
                name={name}
                schema={schema}
                value={step[name]}
                fault={faultAt(`/${name}`) ?? problems.find((one) => one.pointer.startsWith(`${pointer}/${name}/`))?.message}
                references={references}
                siblings={siblings}
                tools={tools}
                onChange={(value) => setField(name, value)}
              />
            ),
          )}
      </div>
    </Panel>
  );
}

interface ArgumentsProps {
  step: Step;
  tool: KnownTool;
  references: readonly string[];
  faultAt: (place: string) => string | undefined;
  onChange: (value: unknown) => void;
}

/** What a tool is given: a field for each of its parameters. */
function Arguments({ step, tool, references, faultAt, onChange }: ArgumentsProps) {
  const t = useText();
  const given = isRecord(step.with) ? step.with : {};
  const names = [...new Set([...Object.keys(tool.parameters), ...Object.keys(given)])];
  return (
    <fieldset className={styles.group}>
      <legend>{t("workflows.arguments")}</legend>
      {names.map((name) => {
        const schema = tool.parameters[name] ?? {};
        const fault = faultAt(`/with/${name}`);
        return (
          <ValueField
            key={name}
            label={name}
            {...(typeof schema.description === "string" && { help: schema.description })}
            value={given[name]}
            {...faultProps(fault)}
            references={references}
            isJson={schema.type !== "string"}
            onChange={(value) => {
              const { [name]: _, ...rest } = given;
              onChange(value === undefined ? rest : { ...rest, [name]: value });
            }}
          />
        );
      })}
    </fieldset>
  );
}

interface FieldOfProps {
  name: string;
  schema: Schema;
  value: unknown;
  fault: string | undefined;
  references: readonly string[];
  siblings: readonly string[];
  tools: readonly KnownTool[];
  onChange: (value: unknown) => void;
}

/** The field for one schema of the format. */
function FieldOf({ name, schema, value, fault, references, siblings, tools, onChange }: FieldOfProps) {
  const t = useText();
  const nothing = { id: "", name: t("workflows.no_step") };
  const pick = (ids: readonly string[]) => (
    <Select
      label={name}
      options={[nothing, ...ids.map((id) => ({ id, name: id }))]}
      value={typeof value === "string" ? value : ""}
      {...faultProps(fault)}
      onChange={(id) => onChange(id === "" ? undefined : id)}
    />
  );
  switch (schema.$ref) {
    case "#/$defs/name":
      return pick(siblings);
    case "#/$defs/tool_name":
      return pick(tools.map((tool) => tool.name));
    case "#/$defs/binding":
      return <ValueField label={name} value={value} {...faultProps(fault)} references={references} onChange={onChange} />;
    case "#/$defs/items":
      return <ValueField label={name} value={value} {...faultProps(fault)} references={references} isJson onChange={onChange} />;
  }
  if (Array.isArray(schema.enum)) return pick(schema.enum.map(String));
  if (schema.type === "boolean" || schema.const === true) {
    return (
      <Switch isSelected={value === true} onChange={(isOn) => onChange(isOn ? true : undefined)}>
        {name}
      </Switch>
    );
  }
  if (schema.type === "string") {
    return (
      <TextField
        label={name}
        value={typeof value === "string" ? value : ""}
        {...faultProps(fault)}
        onChange={(text) => onChange(text === "" ? undefined : text)}
      />
    );
  }
  return <JsonField label={name} value={value} {...faultProps(fault)} onChange={onChange} />;
}

function faultProps(fault: string | undefined): { fault?: string } {
  return fault ? { fault } : {};
}
