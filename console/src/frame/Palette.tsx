import { useDeferredValue, useEffect, useId, useRef, useState, type KeyboardEvent } from "react";
import { Dialog, Modal, ModalOverlay } from "react-aria-components";

import { useText } from "../i18n/texts";
import dialog from "../ui/Dialog.module.css";
import styles from "./Palette.module.css";
import { PaletteEntry } from "./PaletteEntry";
import { usePaletteGroups } from "./paletteGroups";

interface PaletteProps {
  isOpen: boolean;
  onOpenChange: (open: boolean) => void;
  onHelp: () => void;
}

/** ⌘K: go somewhere, do something, or find something, by typing. */
export function Palette({ isOpen, onOpenChange, onHelp }: PaletteProps) {
  return (
    <ModalOverlay isOpen={isOpen} onOpenChange={onOpenChange} isDismissable className={dialog.overlay ?? ""}>
      <Modal className={styles.modal ?? ""}>
        <PaletteDialog onDone={() => onOpenChange(false)} onHelp={onHelp} />
      </Modal>
    </ModalOverlay>
  );
}

function PaletteDialog({ onDone, onHelp }: { onDone: () => void; onHelp: () => void }) {
  const t = useText();
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const listId = useId();
  const list = useRef<HTMLDivElement>(null);
  const typed = useDeferredValue(text.trim());
  const { groups, isSearching } = usePaletteGroups(typed, onHelp);
  const entries = groups.flatMap((group) => group.entries);
  useEffect(() => setChosen(0), [typed]);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [chosen]);

  const take = (index: number) => {
    const entry = entries[index];
    if (!entry) return;
    onDone();
    entry.act();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // What an input method is composing is not decided yet.
    if (event.nativeEvent.isComposing) return;
    const last = entries.length - 1;
    if (event.key === "ArrowDown") setChosen((before) => (before >= last ? 0 : before + 1));
    else if (event.key === "ArrowUp") setChosen((before) => (before <= 0 ? Math.max(0, last) : before - 1));
    else if (event.key === "PageDown") setChosen((before) => Math.min(last, before + 8));
    else if (event.key === "PageUp") setChosen((before) => Math.max(0, before - 8));
    else if (event.key === "Enter") take(chosen);
    else return;
    event.preventDefault();
  };
  let index = -1;
  return (
    <Dialog aria-label={t("palette.label")} className={styles.dialog ?? ""}>
      <input
        role="combobox"
        aria-label={t("palette.label")}
        aria-expanded="true"
        aria-autocomplete="list"
        aria-controls={listId}
        aria-activedescendant={entries[chosen] ? `${listId}-${chosen}` : undefined}
        className={styles.input}
        placeholder={t("palette.placeholder")}
        autoComplete="off"
        spellCheck={false}
        autoFocus
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div ref={list} id={listId} role="listbox" aria-label={t("palette.results", { count: entries.length })} className={styles.list}>
        {groups.map(({ id, name, entries: own }) => (
          <div key={id} role="group" aria-labelledby={`${listId}-${id}`} className={styles.group}>
            <div id={`${listId}-${id}`} className={styles.heading} aria-hidden="true">
              {name}
            </div>
            {own.map((entry) => {
              const at = (index += 1);
              return (
                <PaletteEntry
                  key={entry.id}
                  id={`${listId}-${at}`}
                  entry={entry}
                  isChosen={at === chosen}
                  onPoint={() => setChosen(at)}
                  onTake={() => take(at)}
                />
              );
            })}
          </div>
        ))}
      </div>
      {entries.length === 0 && (
        <p className={styles.nothing} role="status">
          {isSearching ? t("palette.searching") : t("palette.nothing", { query: typed })}
        </p>
      )}
    </Dialog>
  );
}
