import { Check, ChevronDown } from "lucide-react";
import {
  Button,
  FieldError,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Select as AriaSelect,
  SelectValue,
  type Key,
} from "react-aria-components";

import { useText } from "../i18n/texts";
import { useFieldFault } from "./Form";
import popover from "./Popover.module.css";
import field from "./TextField.module.css";
import styles from "./Select.module.css";

export interface Option {
  id: string;
  name: string;
}

export interface SelectProps {
  label: string;
  options: readonly Option[];
  value: string | null;
  onChange: (value: string) => void;
  fault?: string;
  isRequired?: boolean;
  isDisabled?: boolean;
  /** Hides the label from the eye, in a row of filters. */
  isLabelHidden?: boolean;
  /** What stands there while nothing is chosen. */
  placeholder?: string;
}

export function Select({ label, options, value, onChange, fault, isRequired, isDisabled, isLabelHidden, placeholder }: SelectProps) {
  const t = useText();
  const words = useFieldFault({ label, value, isRequired, fault });
  return (
    <AriaSelect
      className={field.field}
      selectedKey={value}
      onSelectionChange={(key: Key | null) => key !== null && onChange(String(key))}
      isRequired={isRequired ?? false}
      isInvalid={words !== undefined}
      validationBehavior="aria"
      isDisabled={isDisabled ?? false}
      aria-label={isLabelHidden ? label : undefined}
      placeholder={placeholder ?? t("form.choose")}
    >
      {!isLabelHidden && <Label className={field.label}>{label}</Label>}
      <Button className={`${styles.button} ${isLabelHidden ? styles.compact : ""}`}>
        <SelectValue className={styles.value} />
        <ChevronDown size={16} aria-hidden="true" />
      </Button>
      <FieldError className={field.fault}>{words}</FieldError>
      <Popover className={popover.popover ?? ""}>
        <ListBox className={popover.list ?? ""} items={options}>
          {(option) => (
            <ListBoxItem id={option.id} textValue={option.name} className={popover.item ?? ""}>
              {option.name}
              <Check size={16} className={popover.tick} aria-hidden="true" data-tick="" />
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}
