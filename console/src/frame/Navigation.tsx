import { useLocation } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { isWithin } from "@guildhall/console/screens/shown";
import styles from "./Navigation.module.css";
import { NavigationLink } from "./NavigationLink";
import { PluginPlaces } from "./PluginPlaces";
import { GROUPS, usePlaces } from "./shownScreens";

/** The places in their groups; `isNarrow` shows icons alone, each with its name for whoever points at it. */
export function Navigation({ onGo, isNarrow = false }: { onGo?: () => void; isNarrow?: boolean }) {
  const t = useText();
  const places = usePlaces();
  const [address] = useLocation();
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
                <NavigationLink
                  key={place.path}
                  path={place.path}
                  name={place.title}
                  icon={place.icon}
                  isHere={isWithin(address, place.path)}
                  isNarrow={isNarrow}
                  onGo={onGo}
                />
              ))}
            </ul>
          </section>
        );
      })}
      <PluginPlaces onGo={onGo} isNarrow={isNarrow} />
    </nav>
  );
}
