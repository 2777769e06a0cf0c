import { useQueryClient } from "@tanstack/react-query";
import { Menu, Search } from "lucide-react";
import { Suspense, useEffect, useRef, useState, type ComponentType, type ReactNode } from "react";
import { useLocation } from "wouter";

import { connection } from "@guildhall/console/api/connection";
import { useText } from "@guildhall/console/i18n/texts";
import { Boundary, Contained } from "@guildhall/console/screens/Boundary";
import { useScreens } from "@guildhall/console/screens/shown";
import { Button } from "@guildhall/console/ui/Button";
import { lazyPart } from "@guildhall/console/ui/lazyPart";
import { Account } from "./Account";
import { useArrival } from "./arrival";
import { Banners } from "./Banners";
import { Crumbs } from "./Crumbs";
import { DocumentTitle } from "./DocumentTitle";
import { keepFocus } from "./focusKeeping";
import styles from "./Frame.module.css";
import { commandKey, isMac } from "@guildhall/console/ui/platform";
import { useShortcuts } from "@guildhall/console/ui/shortcuts";
import { beginSeen } from "../session/seen";
import { Side } from "./Side";
import { usePluginPage } from "./PluginPlaces";
import { useLater } from "./useLater";
import { screensAt, usePlaces } from "./shownScreens";

// Dialogs are much code: loaded when they are first opened, or once nothing else is.
const loadDrawer = () => import("./Drawer");
const Drawer = lazyPart(loadDrawer);
const loadPalette = () => import("./Palette");
const loadHelp = () => import("./KeyboardHelp");
const Palette = lazyPart(() => loadPalette().then(({ Palette: part }) => ({ default: part })));
const KeyboardHelp = lazyPart(() => loadHelp().then(({ KeyboardHelp: part }) => ({ default: part })));

/** Opens a part once it is there: one that cannot be loaded, without a network, would take the whole page with it. */
const openLoaded = (load: () => Promise<unknown>, open: () => void) => void load().then(open, connection.lost);

/** What a screen brings to the frame: nothing while it loads, and nothing more of it where it breaks. */
function Beside({ part: Part }: { part: ComponentType }) {
  return (
    <Contained>
      <Suspense fallback={null}>
        <Part />
      </Suspense>
    </Contained>
  );
}

/** The frame of every screen: navigation, where one is, the palette, and who one is. */
export function Frame({ children }: { children: ReactNode }) {
  const t = useText();
  const client = useQueryClient();
  const places = usePlaces();
  const [location, navigate] = useLocation();
  const [drawer, setDrawer] = useState(false);
  const [palette, setPalette] = useState(false);
  const [help, setHelp] = useState(false);
  const screens = useScreens();
  const pluginPage = usePluginPage(location);
  const place = pluginPage ?? screensAt(screens, location)[0]?.title;
  useArrival();
  useEffect(keepFocus, []);
  // Before anybody asks for it, and after what they see.
  const isLater = useLater();
  useEffect(() => {
    if (isLater) void Promise.all([loadPalette(), loadDrawer(), beginSeen(client)]).catch(() => undefined);
  }, [isLater, client]);
  // Whoever types on before the palette is there means its field, and no place.
  const isAwaited = useRef(false);
  const openPalette = () => openLoaded(loadPalette, () => setPalette(true));
  useShortcuts({
    onPalette: () => {
      isAwaited.current = true;
      openLoaded(() => loadPalette().finally(() => (isAwaited.current = false)), () => setPalette((open) => !open));
    },
    onHelp: () => openLoaded(loadHelp, () => setHelp(true)),
    onGo: (letter) => {
      if (isAwaited.current) return false;
      const found = places.find((one) => one.letter === letter);
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
            <Button kind="quiet" aria-label={t("nav.expand")} onPress={() => openLoaded(loadDrawer, () => setDrawer(true))}>
              <Menu size={16} />
            </Button>
          </span>
          <Crumbs />
          <Button aria-keyshortcuts={isMac ? "Meta+K" : "Control+K"} onPress={openPalette}>
            <Search size={16} />
            <span className={styles.hint}>{t("palette.open")}</span>
            <kbd className={styles.key} aria-hidden="true">
              {isMac ? "⌘K" : `${commandKey} K`}
            </kbd>
          </Button>
          {screens.shown.map(({ path, top: Top }) => Top && <Beside key={path} part={Top} />)}
          <Account />
        </header>
        <Banners />
        <main id="content" className={styles.content} tabIndex={-1}>
          <Boundary address={location}>{children}</Boundary>
        </main>
      </div>
      {screens.shown.map(({ path, everywhere }) => everywhere && <Beside key={path} part={everywhere} />)}
      <Suspense fallback={null}>
        {drawer && <Drawer isOpen onOpenChange={setDrawer} />}
        {palette && <Palette isOpen onOpenChange={setPalette} onHelp={() => openLoaded(loadHelp, () => setHelp(true))} />}
        {help && <KeyboardHelp isOpen onClose={() => setHelp(false)} />}
      </Suspense>
    </div>
  );
}
