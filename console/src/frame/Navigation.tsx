import { Undo2 } from "lucide-react";
import { useRef, type MouseEvent } from "react";
import { useLocation } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { isWithin, type ShownScreen } from "@guildhall/console/screens/shown";
import styles from "./Navigation.module.css";
import { NavigationLink } from "./NavigationLink";
import { PluginPlaces } from "./PluginPlaces";
import { ADMINISTRATION, GROUPS, usePlaces } from "./shownScreens";

/**
 * The places of one tier: of work, with the ways into the other at its foot, or of administration.
 *
 * `isNarrow` shows icons alone, each with its name for whoever points at it.
 */
export function Navigation({ onGo, isNarrow = false }: { onGo?: () => void; isNarrow?: boolean }) {
  const t = useText();
  const places = usePlaces();
  const [address, navigate] = useLocation();
  const here = places.find(({ path }) => isWithin(address, path));
  // What stands in neither, such as one's account, leaves the navigation as it was.
  const tier = useRef(false);
  if (here) tier.current = ADMINISTRATION.has(here.group);
  const isAdministration = tier.current;
  const link = ({ path, icon }: ShownScreen, name: string) => (
    <NavigationLink key={path} path={path} name={name} icon={icon} isHere={here?.path === path} isNarrow={isNarrow} />
  );
  /** One for all links: each would listen to every change of the address. */
  const follow = (event: MouseEvent) => {
    const to = (event.target as Element).closest<HTMLElement>("a[data-to]")?.dataset.to;
    const isElsewhere = event.button !== 0 || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
    if (to === undefined || isElsewhere) return;
    event.preventDefault();
    onGo?.();
    navigate(to);
  };
  const sections = GROUPS.flatMap((group) => {
    const own = places.filter((place) => place.group === group);
    return own.length > 0 ? [{ group, own }] : [];
  });
  const administration = sections.filter(({ group }) => ADMINISTRATION.has(group));
  return (
    <nav aria-label={t("nav.label")} className={styles.navigation} data-narrow={isNarrow ? "" : undefined} onClick={follow}>
      <div key={String(isAdministration)} className={styles.places}>
        {isAdministration && <ul><NavigationLink path="/" name={t("console.back_to_work")} icon={Undo2} isHere={false} isNarrow={isNarrow} /></ul>}
        {sections.map(
          ({ group, own }) =>
            ADMINISTRATION.has(group) === isAdministration && (
              <section key={group} aria-label={t(`nav.group_${group}`)} className={styles.section}>
                {own.length > 1 && <h2 className={styles.group}>{t(`nav.group_${group}`)}</h2>}
                <ul>{own.map((place) => link(place, place.title))}</ul>
              </section>
            ),
        )}
        {!isAdministration && <PluginPlaces isNarrow={isNarrow} />}
      </div>
      {!isAdministration && administration.length > 0 && (
        <section aria-label={t("console.administration")} className={styles.doors}>
          <ul>{administration.map(({ group, own }) => link(own[0]!, t(`nav.group_${group}`)))}</ul>
        </section>
      )}
    </nav>
  );
}
