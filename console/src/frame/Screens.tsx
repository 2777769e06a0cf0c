import { TriangleAlert } from "lucide-react";
import { Suspense, useRef, type ReactNode } from "react";
import { Link, Redirect, useLocation } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { Boundary } from "@guildhall/console/screens/Boundary";
import { useUi } from "@guildhall/console/screens/pages";
import { isWithin, parentOf, screenAt, useScreens, type ClosedScreen, type ShownScreen } from "@guildhall/console/screens/shown";
import { EmptyState } from "@guildhall/console/ui/EmptyState";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import notice from "@guildhall/console/ui/ProblemNotice.module.css";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";

/** Which screen an address shows; all are loaded when they are opened. */
export function Screens() {
  const [address] = useLocation();
  const ui = useUi();
  const { shown, closed } = useScreens();
  // What is open stays when it is closed, with what was typed in it.
  const opened = useRef<ShownScreen | null>(null);
  if (ui.isLoadingError) return <ProblemNotice problem={ui.error} onRetry={() => void ui.refetch()} />;
  if (ui.isPending) return <SkeletonRows />;
  if (!isReadable(location.pathname)) return <Nowhere />;
  if (address === "/login") return <Redirect to="/" replace />;
  const place = address === "/index.html" ? "/" : address;
  const roots = shown.filter(({ path }) => !parentOf(shown, path));
  const found = screenAt(roots, place);
  const shut = screenAt(closed, place);
  const isShut = shut !== undefined && (!found || shut.path.length > found.path.length);
  const open = isShut ? (opened.current && isWithin(place, opened.current.path) ? opened.current : null) : (found ?? null);
  opened.current = open;
  if (!open) return shut ? <Closed screen={shut} /> : <Nowhere />;
  return (
    <Boundary key={open.path} address={address} plugin={open.plugin}>
      {isShut && <ClosedNotice screen={shut} />}
      <Suspense fallback={<SkeletonRows />}>
        <open.Component />
      </Suspense>
    </Boundary>
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

/** Why a screen is not shown, and who lifts that. */
function useReason({ title, needs, what }: ClosedScreen): { text: string; action: ReactNode } {
  const t = useText();
  const { shown, closed } = useScreens();
  if (needs === "permission") return { text: `${t("error.permission_denied")} ${t("gate.permission")}`, action: undefined };
  // A feature is called as the screen that is named as it is.
  const named = [...shown, ...closed].find(({ name }) => name === what)?.title ?? title;
  const lifted = shown.find(({ name }) => name === "features");
  return {
    text: `${t("error.feature_disabled", { feature: named })} ${t("gate.feature")}`,
    action: lifted && <Link href={lifted.path}>{lifted.title}</Link>,
  };
}

function Closed({ screen }: { screen: ClosedScreen }) {
  const { text, action } = useReason(screen);
  return (
    <>
      <PageHead title={screen.title} />
      <EmptyState text={text} action={action} />
    </>
  );
}

function ClosedNotice({ screen }: { screen: ClosedScreen }) {
  const t = useText();
  const { text, action } = useReason(screen);
  return (
    <div role="status" className={notice.notice}>
      <TriangleAlert size={16} className={notice.icon} aria-hidden="true" />
      <p className={notice.words}>{`${text} ${t("gate.kept_open")}`}</p>
      {action}
    </div>
  );
}
