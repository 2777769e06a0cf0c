import { Suspense, type ComponentType } from "react";
import { Link, Redirect, Route, Switch, useLocation } from "wouter";

import { useText } from "../i18n/texts";
import { Home } from "../screens/home/Home";
import { EmptyState } from "../ui/EmptyState";
import { lazyPart } from "../ui/lazyPart";
import { PageHead } from "../ui/PageHead";
import { SkeletonRows } from "../ui/Skeleton";

const team = () => import("../screens/team/Team");

/** The first segment of an address, and the area that has every address below it. */
const AREAS: Record<string, () => Promise<{ default: ComponentType }>> = {
  notes: () => import("../screens/notes/Notes"),
  files: () => import("../screens/files/Files"),
  chat: () => import("../screens/chat/Chat"),
  translate: () => import("../screens/translate/Translate"),
  glossary: () => import("../screens/glossary/Glossary"),
  workflows: () => import("../screens/workflows/Workflows"),
  triggers: () => import("../screens/triggers/Triggers"),
  runs: () => import("../screens/runs/Runs"),
  knowledge: () => import("../screens/knowledge/Knowledge"),
  localize: () => import("../screens/localize/Localize"),
  "beta-program": () => import("../screens/beta/Beta"),
  members: team,
  tokens: team,
  "s3-keys": team,
  features: team,
  tools: team,
  usage: team,
  jobs: team,
  audit: team,
  team,
  company: () => import("../screens/company/Company"),
  instance: () => import("../screens/instance/Instance"),
  account: () => import("../screens/account/Account"),
  x: () => import("../screens/plugins/PluginPage"),
};
const SCREENS = Object.entries(AREAS).map(([segment, load]) => ({ segment, Screen: lazyPart(load) }));

/** Which screen an address shows; all but the first are loaded when they are opened. */
export function Screens() {
  useLocation();
  if (!isReadable(location.pathname)) return <Nowhere />;
  return (
    <Suspense fallback={<SkeletonRows />}>
      <Switch>
        <Route path="/" component={Home} />
        <Route path="/login">
          <Redirect to="/" replace />
        </Route>
        <Route path="/index.html" component={Home} />
        {SCREENS.map(({ segment, Screen }) => (
          <Route key={segment} path={`/${segment}/*?`}>
            <Screen />
          </Route>
        ))}
        <Route component={Nowhere} />
      </Switch>
    </Suspense>
  );
}

/** Whether an address is text at all: `%E0%A4%A` is none. */
function isReadable(path: string): boolean {
  try {
    // What nobody looks at is not built in.
    return decodeURIComponent(path) !== "";
  } catch {
    return false;
  }
}

function Nowhere() {
  const t = useText();
  return (
    <>
      <PageHead title={t("error.nowhere")} />
      <EmptyState text={t("error.not_found")} action={<Link href="/">{t("nav.home")}</Link>} />
    </>
  );
}
