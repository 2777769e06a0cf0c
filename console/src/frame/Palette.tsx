import { useEffect, useId, useRef, useState, type KeyboardEvent } from "react";
import { Dialog, Modal, ModalOverlay } from "react-aria-components";

import { useText } from "@guildhall/console/i18n/texts";
import dialog from "@guildhall/console/ui/Dialog.module.css";
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
  const [chosenId, setChosenId] = useState<string>();
  const listId = useId();
  const list = useRef<HTMLDivElement>(null);
  const typed = text.trim();
  const { groups, isSearching } = usePaletteGroups(typed, onHelp);
  const entries = groups.flatMap((group) => group.entries);
  // By its id: what the search finds later moves nothing under the finger that is about to press Enter.
  const chosen = Math.max(0, entries.findIndex(({ id }) => id === chosenId));
  const shownId = entries[chosen]?.id;
  if (shownId !== chosenId) setChosenId(shownId);
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
    const choose = (index: number) => setChosenId(entries[index]?.id);
    if (event.key === "ArrowDown") choose(chosen >= last ? 0 : chosen + 1);
    else if (event.key === "ArrowUp") choose(chosen <= 0 ? last : chosen - 1);
    else if (event.key === "PageDown") choose(Math.min(last, chosen + 8));
    else if (event.key === "PageUp") choose(Math.max(0, chosen - 8));
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
        onChange={(event) => {
          setText(event.target.value);
          setChosenId(undefined);
        }}
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
                  onPoint={() => setChosenId(entry.id)}
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
