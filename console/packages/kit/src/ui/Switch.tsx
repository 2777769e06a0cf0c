import { Switch as AriaSwitch, type SwitchProps } from "react-aria-components";

import styles from "./Switch.module.css";

/** On or off, at once. */
export function Switch({ children, ...rest }: SwitchProps & { children?: string }) {
  return (
    <AriaSwitch {...rest} className={styles.switch}>
      <span className={styles.track} aria-hidden="true">
        <span className={styles.knob} />
      </span>
      {children}
    </AriaSwitch>
  );
}
