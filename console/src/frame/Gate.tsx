import type { ReactNode } from "react";
import { Link } from "wouter";

import { useText } from "../i18n/texts";
import { useMay } from "../session/identity";
import { EmptyState } from "../ui/EmptyState";
import { PageHead } from "../ui/PageHead";
import { SkeletonRows } from "../ui/Skeleton";
import { PLACES } from "./places";
import { isOn, useSwitchedOff } from "./switches";

/** The screens of a place, for those who came by an address too: who may not see them reads why, and who lifts it. */
export function Gate({ path, permission, children }: { path: string; permission: string; children: ReactNode }) {
  const t = useText();
  const may = useMay();
  const off = useSwitchedOff();
  const name = t(PLACES.find((place) => place.path === path)?.name ?? "error.nowhere");
  if (!may(permission)) {
    return <Closed name={name} text={`${t("error.permission_denied", { permission })} ${t("gate.permission")}`} />;
  }
  if (off === null) return <SkeletonRows />;
  if (isOn(path, off)) return children;
  const action = may("settings:manage") ? <Link href="/features">{t("nav.features")}</Link> : undefined;
  return <Closed name={name} text={`${t("error.feature_disabled", { feature: name })} ${t("gate.feature")}`} action={action} />;
}

function Closed({ name, text, action }: { name: string; text: string; action?: ReactNode }) {
  return (
    <>
      <PageHead title={name} />
      <EmptyState text={text} action={action} />
    </>
  );
}
