import { TriangleAlert } from "lucide-react";
import { useRef, type ReactNode } from "react";
import { Link } from "wouter";

import { useText } from "../i18n/texts";
import { useMay } from "../session/identity";
import { EmptyState } from "../ui/EmptyState";
import { PageHead } from "../ui/PageHead";
import notice from "../ui/ProblemNotice.module.css";
import { SkeletonRows } from "../ui/Skeleton";
import { PLACES } from "./places";
import { isOn, useSwitchedOff } from "./switches";

interface GateProps {
  path: string;
  permission: string;
  /** The key of what is turned on and off, where that has another name than the place. */
  feature?: string;
  children: ReactNode;
}

/**
 * The screens of a place, for those who came by an address too: who may not see them reads why, and who lifts it.
 * What is open already stays, with what was typed in it, and the same is said above it.
 */
export function Gate({ path, permission, feature, children }: GateProps) {
  const t = useText();
  const may = useMay();
  const off = useSwitchedOff();
  const hasOpened = useRef(false);
  const name = t(PLACES.find((place) => place.path === path)?.name ?? "error.nowhere");
  const mayEnter = may(permission);
  const isOpen = mayEnter && off !== null && isOn(path, off);
  hasOpened.current ||= isOpen;
  if (mayEnter && off === null && !hasOpened.current) return <SkeletonRows />;
  const words = mayEnter
    ? `${t("error.feature_disabled", { feature: feature ? t(feature) : name })} ${t("gate.feature")}`
    : `${t("error.permission_denied")} ${t("gate.permission")}`;
  const action = mayEnter && may("settings:manage") ? <Link href="/features">{t("nav.features")}</Link> : undefined;
  if (!hasOpened.current) return <Closed name={name} text={words} action={action} />;
  return (
    <>
      {!isOpen && off !== null && (
        <div role="status" className={notice.notice}>
          <TriangleAlert size={16} className={notice.icon} aria-hidden="true" />
          <p className={notice.words}>{`${words} ${t("gate.kept_open")}`}</p>
          {action}
        </div>
      )}
      {children}
    </>
  );
}

function Closed({ name, text, action }: { name: string; text: string; action?: ReactNode }) {
  return (
    <>
      <PageHead title={name} />
      <EmptyState text={text} action={action} />
    </>
  );
}
