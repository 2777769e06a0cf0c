import { useText } from "@guildhall/console/i18n/texts";
import { Modal } from "@guildhall/console/ui/Modal";
import styles from "./KeyboardHelp.module.css";
import { commandKey } from "@guildhall/console/ui/platform";
import { usePlaces } from "./shownScreens";

const KEYS: readonly [string, readonly string[]][] = [
  ["keys.palette", [commandKey, "K"]],
  ["keys.help", ["?"]],
  ["keys.move", ["j", "k"]],
  ["keys.open", ["Enter"]],
  ["keys.select", ["x"]],
  ["keys.leave", ["Esc"]],
  ["keys.undo", [commandKey, "Z"]],
];

/** What can be done by keyboard, on one page. */
export function KeyboardHelp({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const t = useText();
  const places = usePlaces();
  return (
    <Modal title={t("keys.title")} isOpen={isOpen} onClose={onClose} isWide>
      <div className={styles.columns}>
        <dl className={styles.keys}>
          {KEYS.map(([name, keys]) => (
            <Line key={name} name={t(name)} keys={keys} />
          ))}
        </dl>
        <dl className={styles.keys}>
          {places.map(({ path, title, letter }) => letter && <Line key={path} name={title} keys={["g", letter]} />)}
        </dl>
      </div>
    </Modal>
  );
}

function Line({ name, keys }: { name: string; keys: readonly string[] }) {
  return (
    <div className={styles.line}>
      <dt>{name}</dt>
      <dd>
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dd>
    </div>
  );
}
