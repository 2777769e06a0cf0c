import { Ellipsis } from "lucide-react";
import { useRef } from "react";
import { Menu, MenuItem, MenuTrigger, Popover } from "react-aria-components";

import { useText } from "../i18n/texts";
import { Button } from "./Button";
import { useOffers } from "./offers";
import styles from "./Popover.module.css";

export interface Action {
  id: string;
  name: string;
  onAction: () => void;
  isDangerous?: boolean;
}

/** What else can be done with a thing, behind three dots; `of` is its name. */
export function ActionMenu({ of, actions }: { of: string; actions: readonly Action[] }) {
  const t = useText();
  const button = useRef<HTMLButtonElement>(null);
  useOffers(button, actions.map(({ name, onAction }) => ({ name: `${name}: ${of}`, act: onAction })));
  if (actions.length === 0) return null;
  return (
    <MenuTrigger>
      <Button ref={button} kind="quiet" aria-label={`${t("action.more")}: ${of}`}>
        <Ellipsis size={16} />
      </Button>
      <Popover className={styles.popover ?? ""} placement="bottom end">
        <Menu className={styles.list ?? ""} aria-label={t("action.more")}>
          {actions.map(({ id, name, onAction, isDangerous }) => (
            <MenuItem key={id} id={id} className={`${styles.item} ${isDangerous ? styles.danger : ""}`} onAction={onAction}>
              {name}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
