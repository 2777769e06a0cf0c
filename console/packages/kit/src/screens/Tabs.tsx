import { Redirect, useLocation } from "wouter";

import { useText } from "../i18n/texts";
import { EmptyState } from "../ui/EmptyState";
import { SubNavigation } from "../ui/SubNavigation";
import { isWithin, screenAt, useScreens } from "./shown";

/** The screens below an address, of whichever plugins, as tabs; the first is shown where none is named. */
export function Tabs({ path, label }: { path: string; label: string }) {
  const t = useText();
  const [address] = useLocation();
  const tabs = useScreens().shown.filter((screen) => screen.path !== path && isWithin(screen.path, path));
  const here = screenAt(tabs, address);
  const first = tabs[0];
  return (
    <>
      <SubNavigation label={label} tabs={tabs.map((tab) => ({ path: tab.path, name: tab.title }))} />
      {here ? <here.Component key={here.path} /> : address === path && first ? <Redirect to={first.path} replace /> : <EmptyState text={t("error.not_found")} />}
    </>
  );
}
