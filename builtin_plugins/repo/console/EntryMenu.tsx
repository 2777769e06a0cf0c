import { useRef } from "react";
import { Keyboard, Menu, MenuItem, Popover, Text } from "react-aria-components";

import { useText } from "@guildhall/console/i18n/texts";
import popover from "@guildhall/console/ui/Popover.module.css";
import styles from "./Browser.module.css";
import type { Point } from "./commands";

export interface MenuAction {
  id: string;
  name: string;
  keys?: string;
  isDangerous?: boolean;
  onAction: () => void;
}

/** What can be done with entries, where one has pressed; each with the key that does the same. */
export function EntryMenu({ at, label, actions, onClose }: { at: Point; label: string; actions: readonly MenuAction[]; onClose: () => void }) {
  const t = useText();
  const place = useRef<HTMLSpanElement>(null);
  return (
    <>
      <span ref={place} className={styles.menuPlace} style={{ left: at.x, top: at.y }} />
      <Popover isOpen onOpenChange={(open) => !open && onClose()} triggerRef={place} className={popover.popover ?? ""} placement="bottom start" offset={2}>
        <Menu className={popover.list ?? ""} aria-label={`${t("action.more")}: ${label}`} autoFocus="first" onClose={onClose}>
          {actions.map(({ id, name, keys, isDangerous, onAction }) => (
            <MenuItem key={id} id={id} textValue={name} className={`${popover.item} ${isDangerous ? popover.danger : ""}`} onAction={onAction}>
              <Text slot="label">{name}</Text>
              {keys && <Keyboard className={styles.menuKeys ?? ""}>{keys}</Keyboard>}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </>
  );
}
