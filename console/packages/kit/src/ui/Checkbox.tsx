import { Checkbox as AriaCheckbox, type CheckboxProps } from "react-aria-components";

import { CheckMark } from "./CheckMark";
import styles from "./Checkbox.module.css";

/** A choice to be sent with a form, or of a row; without words it takes an `aria-label`. */
export function Checkbox({ children, ...rest }: CheckboxProps & { children?: string }) {
  return (
    <AriaCheckbox {...rest} className={styles.checkbox}>
      {({ isIndeterminate }) => (
        <>
          <CheckMark isPartial={isIndeterminate} />
          {children}
        </>
      )}
    </AriaCheckbox>
  );
}
