import { ChevronDown } from "lucide-react";
import { ComboBox, FieldError, Input, Label, ListBox, ListBoxItem, Popover, type Key } from "react-aria-components";

import { useText } from "@guildhall/console/i18n/texts";
import { useFieldFault } from "@guildhall/console/ui/Form";
import popover from "@guildhall/console/ui/Popover.module.css";
import field from "@guildhall/console/ui/TextField.module.css";
import type { Person } from "./people";
import styles from "./ShareNote.module.css";

interface PersonFieldProps {
  label: string;
  people: readonly Person[];
  value: string | null;
  onChange: (id: string | null) => void;
  fault?: string;
}

/** Somebody, by typing a part of the name. */
export function PersonField({ label, people, value, onChange, fault }: PersonFieldProps) {
  const t = useText();
  const words = useFieldFault({ label, value, isRequired: true, fault });
  return (
    <ComboBox
      className={field.field ?? ""}
      defaultItems={people}
      selectedKey={value}
      onSelectionChange={(key: Key | null) => onChange(key === null ? null : String(key))}
      isRequired
      isInvalid={words !== undefined}
      validationBehavior="aria"
      allowsEmptyCollection
    >
      <Label className={field.label ?? ""}>{label}</Label>
      <div className={styles.combo}>
        <Input className={field.input ?? ""} placeholder={t("share.type_name")} />
        <ChevronDown size={16} className={styles.open} aria-hidden="true" />
      </div>
      <FieldError className={field.fault ?? ""}>{words}</FieldError>
      <Popover className={popover.popover ?? ""}>
        <ListBox className={popover.list ?? ""} renderEmptyState={() => <p className={popover.note}>{t("share.nobody_found")}</p>}>
          {(person: Person) => (
            <ListBoxItem id={person.id} textValue={person.name} className={popover.item ?? ""}>
              <span dir="auto">{person.name}</span>
              {person.username !== person.name && <span className={styles.username}>{person.username}</span>}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}
