import { useText } from "@guildhall/console/i18n/texts";
import { parentOf, useScreens } from "@guildhall/console/screens/shown";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { commandKey } from "@guildhall/console/ui/platform";
import { useRoute } from "wouter";
import styles from "./Keys.module.css";

type Keys = readonly (readonly [string, readonly string[]])[];

const EVERYWHERE: Keys = [
  ["keys.palette", [commandKey, "K"]],
  ["keys.help", ["?"]],
  ["console.key_create", ["c"]],
  ["console.key_edit", ["e"]],
  ["console.key_search", ["/"]],
  ["keys.undo", [commandKey, "Z"]],
];
const IN_LISTS: Keys = [
  ["keys.move", ["j", "k"]],
  ["keys.open", ["Enter"]],
  ["keys.select", ["x"]],
  ["keys.leave", ["Esc"]],
];

/** What can be done by keyboard: a screen, and what `?` shows over another one. */
export default function Keys() {
  const t = useText();
  const { shown } = useScreens();
  const [isScreen] = useRoute("/keys");
  const named = (keys: Keys) => keys.map(([name, each]) => [t(name), each] as const);
  const places = shown.flatMap(({ path, title, letter }) => (letter && !parentOf(shown, path) ? [[title, ["g", letter]] as const] : []));
  return (
    <>
      {isScreen && <PageHead title={t("keys.title")} />}
      <div className={styles.columns}>
        <div>
          <List heading={t("console.keys_everywhere")} keys={named(EVERYWHERE)} />
          <List heading={t("console.keys_lists")} keys={named(IN_LISTS)} />
        </div>
        <List heading={t("console.keys_places")} keys={places} />
      </div>
    </>
  );
}

function List({ heading, keys }: { heading: string; keys: Keys }) {
  return (
    <section className={styles.list}>
      <h3 className={styles.heading}>{heading}</h3>
      <dl className={styles.keys}>
        {keys.map(([name, each]) => (
          <div key={name} className={styles.line}>
            <dt>{name}</dt>
            <dd>
              {each.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
