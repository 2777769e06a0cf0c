import { Bold, Code, Heading, Image, Italic, Link, List, ListOrdered, ListTodo, Quote, Strikethrough, Table, type LucideIcon } from "lucide-react";
import { Menu, MenuItem, MenuTrigger, Popover, ToggleButton, Toolbar as AriaToolbar, Button as AriaButton } from "react-aria-components";

import { useText } from "@guildhall/console/i18n/texts";
import { isMac } from "@guildhall/console/ui/platform";
import popover from "@guildhall/console/ui/Popover.module.css";
import { insertBlock, insertLink, setHeading, toggleCode, toggleInline, toggleLines, type Change, type Format } from "./commands";
import styles from "./NoteText.module.css";

interface ToolbarProps {
  formats: ReadonlySet<Format>;
  onChange: (change: Change) => void;
  onPicture: () => void;
}

interface Tool {
  name: string;
  icon: LucideIcon;
  change: Change;
  format?: Format;
  keys?: string;
}

const MODIFIER = isMac ? "⌘" : "Ctrl+";

const TOOLS: readonly (readonly Tool[])[] = [
  [
    { name: "editor.bold", icon: Bold, change: toggleInline("StrongEmphasis"), format: "StrongEmphasis", keys: "B" },
    { name: "editor.italic", icon: Italic, change: toggleInline("Emphasis"), format: "Emphasis", keys: "I" },
    { name: "editor.strike", icon: Strikethrough, change: toggleInline("Strikethrough"), format: "Strikethrough" },
  ],
  [
    { name: "editor.bullets", icon: List, change: toggleLines("bullet"), format: "bullet" },
    { name: "editor.numbers", icon: ListOrdered, change: toggleLines("number"), format: "number" },
    { name: "editor.tasks", icon: ListTodo, change: toggleLines("task"), format: "task" },
  ],
  [
    { name: "editor.quote", icon: Quote, change: toggleLines("quote"), format: "quote" },
    { name: "editor.code", icon: Code, change: toggleCode, format: "code" },
    { name: "editor.link", icon: Link, change: insertLink, keys: "K" },
  ],
];

/** What gives a text its shape: one stop for Tab, and the arrows go on. */
export function Toolbar({ formats, onChange, onPicture }: ToolbarProps) {
  const t = useText();
  const [marks, lists, rest] = TOOLS;
  const buttonOf = ({ name, icon: Icon, change, format, keys }: Tool) => {
    const said = keys ? `${t(name)} (${MODIFIER}${keys})` : t(name);
    const shared = { className: styles.tool!, "aria-label": t(name), onPress: () => onChange(change) };
    return (
      <span key={name} title={said}>
        {format ? (
          <ToggleButton {...shared} isSelected={formats.has(format)}>
            <Icon size={16} />
          </ToggleButton>
        ) : (
          <AriaButton {...shared}>
            <Icon size={16} />
          </AriaButton>
        )}
      </span>
    );
  };
  const table = `| ${t("editor.column")} | ${t("editor.column")} |\n| --- | --- |\n|  |  |`;
  return (
    <AriaToolbar className={styles.toolbar!} aria-label={t("editor.format")}>
      <HeadingMenu isHeading={formats.has("heading")} onChange={onChange} />
      {marks!.map(buttonOf)}
      {lists!.map(buttonOf)}
      {rest!.map(buttonOf)}
      <span title={t("editor.picture")}>
        <AriaButton className={styles.tool!} aria-label={t("editor.picture")} onPress={onPicture}>
          <Image size={16} />
        </AriaButton>
      </span>
      {buttonOf({ name: "editor.table", icon: Table, change: insertBlock(table, 2) })}
    </AriaToolbar>
  );
}

function HeadingMenu({ isHeading, onChange }: { isHeading: boolean; onChange: (change: Change) => void }) {
  const t = useText();
  return (
    <MenuTrigger>
      <AriaButton className={styles.tool!} aria-label={t("editor.heading")} data-selected={isHeading || undefined}>
        <Heading size={16} />
      </AriaButton>
      <Popover className={popover.popover!} placement="bottom start">
        <Menu className={popover.list!} aria-label={t("editor.heading")} onAction={(level) => onChange(setHeading(Number(level)))}>
          {[1, 2, 3].map((level) => (
            <MenuItem key={level} id={String(level)} className={popover.item!}>
              {t("editor.heading_n", { level })}
            </MenuItem>
          ))}
          <MenuItem id="0" className={popover.item!}>
            {t("editor.plain_text")}
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
