import {
  FieldError,
  Input,
  Label,
  Text,
  TextArea,
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
} from "react-aria-components";

import { useFieldFault } from "./Form";
import styles from "./TextField.module.css";

export interface TextFieldProps extends AriaTextFieldProps {
  label: string;
  help?: string;
  /** What is wrong with it, in the server's own words. */
  fault?: string;
  /** What that is about, where it is one of several things in the field. */
  faultLabel?: string | undefined;
  rows?: number;
}

export function TextField({ label, help, fault, faultLabel, rows, ...rest }: TextFieldProps) {
  const words = useFieldFault({ label, value: rest.value, isRequired: rest.isRequired, fault, faultLabel });
  return (
    <AriaTextField {...rest} validationBehavior="aria" isInvalid={words !== undefined} className={styles.field}>
      <Label className={styles.label}>{label}</Label>
      {rows ? <TextArea rows={rows} className={styles.input} /> : <Input className={styles.input} />}
      {help && (
        <Text slot="description" className={styles.help}>
          {help}
        </Text>
      )}
      <FieldError className={styles.fault}>{words}</FieldError>
    </AriaTextField>
  );
}
