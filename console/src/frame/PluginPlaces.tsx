import { Puzzle } from "lucide-react";
import { useLocation } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { usePluginText, useUi } from "@guildhall/console/screens/pages";
import styles from "./Navigation.module.css";
import { NavigationLink } from "./NavigationLink";

/** The pages of plugins, behind the console's own places. */
export function PluginPlaces({ isNarrow }: { isNarrow: boolean }) {
  const t = useText();
  const say = usePluginText();
  const [address] = useLocation();
  const pages = (useUi().data?.items ?? []).filter((page) => page.in_navigation);
  if (pages.length === 0) return null;
  return (
    <section aria-label={t("nav.group_plugins")} className={styles.section}>
      <h2 className={styles.group}>{t("nav.group_plugins")}</h2>
      <ul>
        {pages.map((page) => (
          <NavigationLink key={page.address} path={page.address} name={say(page.title)} icon={Puzzle} isHere={address === page.address} isNarrow={isNarrow} />
        ))}
      </ul>
    </section>
  );
}

/** The title of a plugin's page at an address, if there is one. */
export function usePluginPage(address: string): string | undefined {
  const say = usePluginText();
  const page = useUi().data?.items.find((one) => one.address === address);
  return page && say(page.title);
}
