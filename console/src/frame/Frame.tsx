import { Menu, Search } from "lucide-react";
import { Suspense, useEffect, useRef, useState, type ReactNode } from "react";
import { useLocation } from "wouter";

import { connection } from "../api/connection";
import { useText } from "../i18n/texts";
import { useIdentity } from "../session/identity";
import { Button } from "../ui/Button";
import { lazyPart } from "../ui/lazyPart";
import { Account } from "./Account";
import { useArrival } from "./arrival";
import { Banners } from "./Banners";
import { DocumentTitle } from "./DocumentTitle";
import { keepFocus } from "./focusKeeping";
import styles from "./Frame.module.css";
import { PLACES } from "./places";
import { commandKey, isMac } from "./platform";
import { ScreenBoundary } from "./ScreenBoundary";
import { useShortcuts } from "./shortcuts";
import { Side } from "./Side";
import { usePluginPage } from "./PluginPlaces";
import { letterOf, usePlaces } from "./switches";

const IDLE_MS = 1_500;
// Dialogs are much code: after the first screen.
const Drawer = lazyPart(() => import("./Drawer"));
// Loaded when they are first opened.
const loadPalette = () => import("./Palette");
const loadHelp = () => import("./KeyboardHelp");
const Palette = lazyPart(() => loadPalette().then(({ Palette: part }) => ({ default: part })));
const KeyboardHelp = lazyPart(() => loadHelp().then(({ KeyboardHelp: part }) => ({ default: part })));

/** Opens a part once it is there: one that cannot be loaded, without a network, would take the whole page with it. */
const openLoaded = (load: () => Promise<unknown>, open: () => void) => void load().then(open, connection.lost);

/** The frame of every screen: navigation, where one is, the palette, and who one is. */
export function Frame({ children }: { children: ReactNode }) {
  const t = useText();
  const { team } = useIdentity();
  const places = usePlaces();
  const [location, navigate] = useLocation();
  const [drawer, setDrawer] = useState(false);
  const [palette, setPalette] = useState(false);
  const [help, setHelp] = useState(false);
  const here = PLACES.filter(({ path }) => location === path || location.startsWith(`${path}/`)).at(-1);
  const account = location === "/account" || location.startsWith("/account/") ? t("nav.account") : undefined;
  const pluginPage = usePluginPage(location);
  const place = here ? t(here.name) : (account ?? pluginPage);
  useArrival();
  useEffect(keepFocus, []);
  // Before anybody asks for it, and after what they see.
  useEffect(() => {
    const timer = setTimeout(() => void loadPalette().catch(() => undefined), IDLE_MS);
    return () => clearTimeout(timer);
  }, []);
  // Whoever types on before the palette is there means its field, and no place.
  const isAwaited = useRef(false);
  useShortcuts({
    onPalette: () => {
      isAwaited.current = true;
      openLoaded(() => loadPalette().finally(() => (isAwaited.current = false)), () => setPalette((open) => !open));
    },
    onHelp: () => openLoaded(loadHelp, () => setHelp(true)),
    onGo: (letter) => {
      if (isAwaited.current) return false;
      const found = places.find(({ path }) => letterOf(path) === letter);
      if (found) navigate(found.path);
      return found !== undefined;
    },
  });
  return (
    <div className={styles.frame}>
      <DocumentTitle place={place} />
      <a href="#content" className={styles.skip}>
        {t("nav.skip")}
      </a>
      <Side />
      <div className={styles.main}>
        <header className={styles.top}>
          <span className={styles.menu}>
            <Button kind="quiet" aria-label={t("nav.expand")} onPress={() => setDrawer(true)}>
              <Menu size={16} />
            </Button>
          </span>
          <span className={styles.place}>
            <span className={styles.team} dir="auto">
              {team.name}
            </span>
            {place}
          </span>
          <Button aria-keyshortcuts={isMac ? "Meta+K" : "Control+K"} onPress={() => openLoaded(loadPalette, () => setPalette(true))}>
            <Search size={16} />
            <span className={styles.hint}>{t("palette.open")}</span>
            <kbd className={styles.key} aria-hidden="true">
              {isMac ? "⌘K" : `${commandKey} K`}
            </kbd>
          </Button>
          <Account />
        </header>
        <Banners />
        <main id="content" className={styles.content} tabIndex={-1}>
          <ScreenBoundary address={location}>{children}</ScreenBoundary>
        </main>
      </div>
      <Suspense fallback={null}>
        <Drawer isOpen={drawer} onOpenChange={setDrawer} />
      </Suspense>
      <Suspense fallback={null}>
        {palette && <Palette isOpen onOpenChange={setPalette} onHelp={() => openLoaded(loadHelp, () => setHelp(true))} />}
        {help && <KeyboardHelp isOpen onClose={() => setHelp(false)} />}
      </Suspense>
    </div>
  );
}
