import { isValidElement, type Ref } from "react";
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from "react-aria-components";

import styles from "./Button.module.css";

export interface ButtonProps extends AriaButtonProps {
  /** `primary` for the one action of a screen, `danger` for what cannot be undone. */
  kind?: "primary" | "plain" | "quiet" | "danger";
  ref?: Ref<HTMLButtonElement>;
}

export function Button({ kind = "plain", ...rest }: ButtonProps) {
  // A lone icon makes a square.
  const isIcon = isValidElement(rest.children) && typeof rest.children.type !== "string";
  return <AriaButton {...rest} data-kind={kind} className={`${styles.button} ${styles[kind] ?? ""} ${isIcon ? styles.icon : ""}`} />;
}
