import { useRoute } from "wouter";

import { useText } from "../i18n/texts";
import styles from "./Navigation.module.css";
import { NavigationLink } from "./NavigationLink";
import { GROUPS, type Place } from "./places";
import { PluginPlaces } from "./PluginPlaces";
import { usePlaces } from "./switches";

/** The places in their groups; `isNarrow` shows icons alone, each with its name for whoever points at it. */
export function Navigation({ onGo, isNarrow = false }: { onGo?: () => void; isNarrow?: boolean }) {
  const t = useText();
  const places = usePlaces();
  return (
    <nav aria-label={t("nav.label")} className={styles.navigation} data-narrow={isNarrow ? "" : undefined}>
      {GROUPS.map((group) => {
        const own = places.filter((place) => place.group === group);
        if (own.length === 0) return null;
        return (
          <section key={group} aria-label={t(`nav.group_${group}`)} className={styles.section}>
            <h2 className={styles.group}>{t(`nav.group_${group}`)}</h2>
            <ul>
              {own.map((place) => (
                <Item key={place.path} place={place} onGo={onGo} isNarrow={isNarrow} />
              ))}
            </ul>
          </section>
        );
      })}
      <PluginPlaces onGo={onGo} isNarrow={isNarrow} />
    </nav>
  );
}

function Item({ place, onGo, isNarrow }: { place: Place; onGo: (() => void) | undefined; isNarrow: boolean }) {
  const t = useText();
  const [exact] = useRoute(place.path);
  const [below] = useRoute(`${place.path}/*`);
  const isHere = exact || (place.path !== "/" && below);
  return <NavigationLink path={place.path} name={t(place.name)} icon={place.icon} isHere={isHere} isNarrow={isNarrow} onGo={onGo} />;
}
