import { Link, useLocation } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { useScreens } from "@guildhall/console/screens/shown";
import styles from "./Frame.module.css";
import { usePluginPage } from "./PluginPlaces";
import { GROUPS, screensAt, usePlaces } from "./shownScreens";

/** Where one is: the group, the screen, and the tab of it; each but where one stands leads there. */
export function Crumbs() {
  const t = useText();
  const [address] = useLocation();
  const screens = useScreens();
  const places = usePlaces();
  const page = usePluginPage(address);
  const within = screensAt(screens, address);
  const group = GROUPS.find((one) => screens.shown.some((screen) => screen.path === within[0]?.path && screen.group === one));
  const crumbs = page
    ? [{ name: t("nav.group_plugins"), path: undefined }, { name: page, path: address }]
    : [
        ...(group ? [{ name: t(`nav.group_${group}`), path: places.find((place) => place.group === group)?.path }] : []),
        ...within.map(({ title, path }) => ({ name: title, path })),
      ];
  // A group of one place is called as that is.
  const told = crumbs.filter(({ name }, at) => name !== crumbs[at + 1]?.name);
  return (
    <nav aria-label={t("console.crumbs")} className={styles.place}>
      {told.map(({ name, path }, at) =>
        path === undefined || path === address || (at === 0 && told.length > 1 && path === told[1]?.path) ? (
          <span key={name} className={styles.crumb}>
            {name}
          </span>
        ) : (
          <Link key={name} href={path} className={styles.crumb ?? ""}>
            {name}
          </Link>
        ),
      )}
    </nav>
  );
}
