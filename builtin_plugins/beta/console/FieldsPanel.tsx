import { ArrowDown, ArrowUp, Plus, Trash2 } from "lucide-react";

import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Checkbox } from "@guildhall/console/ui/Checkbox";
import { Panel } from "@guildhall/console/ui/Panel";
import { Select } from "@guildhall/console/ui/Select";
import { TextField } from "@guildhall/console/ui/TextField";
import { FIELD_TYPES, freshName, moved, type Field, type FieldType } from "./experience";
import { faultOf } from "./faults";
import styles from "./Beta.module.css";

interface FieldsPanelProps {
  fields: Field[];
  onChange: (fields: Field[]) => void;
  fault: (pointer: string) => string | undefined;
}

/** What the form asks, in its order. */
export function FieldsPanel({ fields, onChange, fault }: FieldsPanelProps) {
  const t = useText();
  // The focus goes with what is moved, so that the same key moves it on.
  const move = (place: number, by: -1 | 1, pressed: Element) => {
    const panel = pressed.closest("section");
    onChange(moved(fields, place, by));
    requestAnimationFrame(() => {
      const buttons = [...(panel?.querySelectorAll("fieldset")[place + by]?.querySelectorAll<HTMLButtonElement>("[data-moves]:enabled") ?? [])];
      (buttons.find((button) => button.dataset["moves"] === String(by)) ?? buttons[0])?.focus();
    });
  };
  const replace = (place: number, field: Field) => onChange(fields.map((one, index) => (index === place ? field : one)));
  return (
    <Panel
      title={t("funnel.fields")}
      actions={
        <Button onPress={() => onChange([...fields, { name: freshName(fields), type: "text", label: t("funnel.new_field") }])}>
          <Plus size={16} />
          {t("funnel.add_field")}
        </Button>
      }
    >
      {fault("/fields") && <p className={styles.fault}>{fault("/fields")}</p>}
      {fields.map((field, place) => (
        <FieldEditor
          key={place}
          field={field}
          fault={(part) => fault(`/fields/${place}${part}`)}
          onChange={(changed) => replace(place, changed)}
          actions={
            <>
              <Button kind="quiet" isDisabled={place === 0} aria-label={t("funnel.move_up", { name: field.label })} data-moves="-1" onPress={({ target }) => move(place, -1, target)}>
                <ArrowUp size={16} />
              </Button>
              <Button kind="quiet" isDisabled={place === fields.length - 1} aria-label={t("funnel.move_down", { name: field.label })} data-moves="1" onPress={({ target }) => move(place, 1, target)}>
                <ArrowDown size={16} />
              </Button>
              <Button kind="quiet" isDisabled={fields.length === 1} aria-label={t("action.remove_named", { name: field.label })} onPress={() => onChange(fields.filter((_, index) => index !== place))}>
                <Trash2 size={16} />
              </Button>
            </>
          }
        />
      ))}
    </Panel>
  );
}

interface FieldEditorProps {
  field: Field;
  onChange: (field: Field) => void;
  fault: (part: string) => string | undefined;
  actions: React.ReactNode;
}

function FieldEditor({ field, onChange, fault, actions }: FieldEditorProps) {
  const t = useText();
  const setType = (type: FieldType) => {
    const { options, ...rest } = field;
    onChange(type === "select" ? { ...rest, type, options: options ?? [t("funnel.first_option")] } : { ...rest, type });
  };
  const setLength = (text: string) => {
    const { max_length: _, ...rest } = field;
    onChange(text === "" ? rest : { ...rest, max_length: Number(text) });
  };
  return (
    <fieldset className={styles.field}>
      <legend dir="auto">{field.label || field.name}</legend>
      <div className={styles.row}>
        <TextField label={t("funnel.label")} value={field.label} onChange={(label) => onChange({ ...field, label })} {...faultOf(fault("/label"))} />
        <TextField label={t("funnel.name")} value={field.name} onChange={(name) => onChange({ ...field, name })} {...faultOf(fault("/name"))} />
        <Select
          label={t("list.type")}
          options={FIELD_TYPES.map((id) => ({ id, name: t(`funnel.type_${id}`) }))}
          value={field.type}
          onChange={(id) => setType(id as FieldType)}
          {...faultOf(fault("/type"))}
        />
      </div>
      {field.type === "select" && (
        <TextField
          label={t("funnel.options")}
          help={t("form.one_per_line")}
          rows={Math.min(8, Math.max(3, field.options?.length ?? 0))}
          value={(field.options ?? []).join("\n")}
          onChange={(text) => onChange({ ...field, options: text.split("\n") })}
          {...faultOf(fault("/options") ?? firstOption(fault))}
        />
      )}
      <div className={styles.row}>
        <Checkbox isSelected={field.required ?? false} onChange={(required) => onChange({ ...field, required })}>
          {t("form.required")}
        </Checkbox>
        {field.type !== "select" && field.type !== "checkbox" && (
          <TextField
            label={t("funnel.max_length")}
            inputMode="numeric"
            value={field.max_length === undefined ? "" : String(field.max_length)}
            onChange={(text) => /^\d{0,5}$/.test(text) && setLength(text)}
            {...faultOf(fault("/max_length"))}
          />
        )}
        <span className={styles.end}>{actions}</span>
      </div>
    </fieldset>
  );
}

/** The first of the options that something is wrong with. */
function firstOption(fault: (part: string) => string | undefined): string | undefined {
  for (let place = 0; place < 100; place += 1) {
    const said = fault(`/options/${place}`);
    if (said !== undefined) return said;
  }
  return undefined;
}
