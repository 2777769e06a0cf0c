import { useText } from "@guildhall/console/i18n/texts";
import { usePluginText } from "@guildhall/console/screens/pages";
import { bare, type Schema } from "@guildhall/console/screens/schema";
import { Select } from "@guildhall/console/ui/Select";
import { TextField } from "@guildhall/console/ui/TextField";
import styles from "./Parts.module.css";

interface TableFiltersProps {
  filters: readonly { name: string; schema: Schema }[];
  values: Record<string, string>;
  onChange: (changed: Record<string, string>) => void;
}

const ALL = "";

/** Parameters of a plugin's list, as fields above it. */
export function TableFilters({ filters, values, onChange }: TableFiltersProps) {
  const t = useText();
  const say = usePluginText();
  return (
    <div className={styles.filters} role="search">
      {filters.map(({ name, schema: given }) => {
        const { schema } = bare(given);
        const label = say(schema.title ?? name);
        const set = (value: string) => onChange({ [name]: value });
        const choices = schema.enum ?? (schema.type === "boolean" ? ["true", "false"] : null);
        if (!choices) return <TextField key={name} label={label} value={values[name] ?? ""} onChange={set} />;
        const options = [{ id: ALL, name: t("list.all") }, ...choices.map((id) => ({ id, name: id }))];
        return <Select key={name} label={label} options={options} value={values[name] ?? ALL} onChange={set} />;
      })}
    </div>
  );
}
