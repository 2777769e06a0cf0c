import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Suspense, useCallback, useEffect, useMemo, useState, type ComponentType, type ReactNode } from "react";
import { Route, Router, Switch } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { Problem } from "@guildhall/console/api/problem";
import { besideFunnel, useConsoleLocation, useLocationBesideFunnel } from "./frame/address";
import { FirstLook } from "./FirstLook";
import { DocumentTitle } from "./frame/DocumentTitle";
import { Frame } from "./frame/Frame";
import { Screens } from "./frame/Screens";
import { useListedScreens } from "./frame/shownScreens";
import { chosenLocale, onLocaleChosen, pickLocale } from "@guildhall/console/i18n/language";
import { ConfirmProvider } from "@guildhall/console/hall";
import { TextsProvider, type Catalog } from "@guildhall/console/i18n/texts";
import { InstanceProvider, loadBranding, loadConfig, type Branding, type Instance } from "@guildhall/console/instance";
import { Away } from "./Away";
import { entryPages, entryParts } from "./entry";
import { useUi } from "@guildhall/console/screens/pages";
import { NO_SCREENS, ScreensProvider } from "@guildhall/console/screens/shown";
import { IdentityProvider, useIdentityQuery, useSession } from "@guildhall/console/session/identity";
import { Proof } from "@guildhall/console/session/Proof";
import { Renewal } from "./session/Renewal";
import { sessions } from "@guildhall/console/session/store";
import { applyTheme } from "@guildhall/console/theme/apply";
import { lazyPart } from "@guildhall/console/ui/lazyPart";
import { ToastProvider } from "@guildhall/console/ui/Toasts";

// Whoever is signed in needs none of these, and whoever is not one of them.
const Activate = lazyPart(entryPages.activate);
const SetUp = lazyPart(entryPages.setUp);
const SignIn = lazyPart(entryPages.signIn);

const AT_ROOT = { hook: useConsoleLocation };
const BESIDE_FUNNEL = { hook: useLocationBesideFunnel, hrefs: besideFunnel };

/** `asking` stands before all else until it is done: whether somebody goes on by a link. */
export function App({ asking }: { asking: ComponentType<{ onDone: () => void }> | null }) {
  const session = useSession();
  const client = useQueryClient();
  const config = useQuery({ queryKey: ["config"], queryFn: loadConfig });
  const branding = useQuery({
    queryKey: ["branding", session ? sessions.generation : null],
    queryFn: loadBranding,
    placeholderData: (before: Branding | undefined) => before,
  });
  const identity = useIdentityQuery();
  useUi();
  const [chosen, setChosen] = useState(chosenLocale);
  const [Asking, setAsking] = useState(() => asking);

  useEffect(() => onLocaleChosen(setChosen), []);

  const policy = config.data?.localization;
  const locale = policy && pickLocale(policy, [chosen, identity.data?.locale, ...navigator.languages]);
  const catalog = useQuery({
    queryKey: ["catalog", locale],
    queryFn: () => dataOf(api.GET("/api/i18n/catalog", { params: { query: { locale } } })) as Promise<Catalog>,
    enabled: locale !== undefined,
    staleTime: Infinity,
    placeholderData: (before: Catalog | undefined) => before,
  });

  useEffect(() => {
    if (!catalog.data || !policy) return;
    document.documentElement.lang = catalog.data.locale;
    document.documentElement.dir = policy.locales.find(({ code }) => code === locale)?.dir ?? "ltr";
  }, [catalog.data, policy, locale]);
  useEffect(() => {
    // Every token, so that those of a look that was dropped are gone too.
    if (branding.data) applyTheme(branding.data.palette);
  }, [branding.data]);
  // Ended elsewhere, or long ago: nobody is asked to go on with it.
  const isUnknown = identity.error instanceof Problem && identity.error.status === 401;
  useEffect(() => {
    if (isUnknown) sessions.forget();
  }, [isUnknown]);

  const reload = useCallback(() => {
    setChosen(chosenLocale());
    void client.invalidateQueries();
  }, [client]);
  const instance = useMemo<Instance | null>(
    () => (config.data && branding.data ? { config: config.data, branding: branding.data, reload } : null),
    [config.data, branding.data, reload],
  );

  const failed = [config, branding, catalog, ...(isUnknown ? [] : [identity])].find((query) => query.isError && query.data === undefined);
  if (failed) return <Away onRetry={reload} />;
  if (!instance || !catalog.data) return <FirstLook />;
  return (
    <TextsProvider catalog={catalog.data}>
      <InstanceProvider instance={instance}>
        <Router {...(instance.config.home === "beta" ? BESIDE_FUNNEL : AT_ROOT)}>
          <Switch>
            {Asking && (
              <Route>
                <Entry>
                  <Asking onDone={() => setAsking(null)} />
                </Entry>
              </Route>
            )}
            <Route path="/activate">
              <Entry>
                <Activate />
              </Entry>
            </Route>
            <Route>
              {instance.config.needs_bootstrap ? (
                <Entry>
                  <SetUp />
                </Entry>
              ) : !session || isUnknown ? (
                <Entry>
                  <SignIn parts={entryParts} />
                </Entry>
              ) : identity.data ? (
                <IdentityProvider identity={identity.data}>
                  <ToastProvider>
                    <ConfirmProvider>
                      {/* In another team all begins anew: nothing still looks at what was of the one before. */}
                      <WithScreens>
                        <Frame key={identity.data.team.id}>
                          <Screens />
                        </Frame>
                      </WithScreens>
                      <Renewal />
                      <Proof />
                    </ConfirmProvider>
                  </ToastProvider>
                </IdentityProvider>
              ) : (
                <FirstLook />
              )}
            </Route>
          </Switch>
        </Router>
      </InstanceProvider>
    </TextsProvider>
  );
}

/** What stands before one is in has the name of the place for a title. */
function Entry({ children }: { children: ReactNode }) {
  return (
    <Suspense fallback={<FirstLook />}>
      <DocumentTitle />
      {children}
    </Suspense>
  );
}

function WithScreens({ children }: { children: ReactNode }) {
  const screens = useListedScreens();
  return <ScreensProvider screens={screens ?? NO_SCREENS}>{children}</ScreensProvider>;
}
