import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { useIdentity, useMay } from "@guildhall/console/session/identity";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { BrandingEditor } from "./BrandingEditor";
import { BrandingPreview } from "./BrandingPreview";
import editor from "./BrandingEditor.module.css";
import { SectionHead } from "@guildhall/console/ui/PageHead";

/** How the company looks to its people and on its hostname. */
export function Branding() {
  const t = useText();
  const may = useMay();
  const client = useQueryClient();
  const { org } = useIdentity();
  const [round, setRound] = useState(0);
  const branding = useQuery({ queryKey: ["org-branding"], queryFn: () => dataOf(api.GET("/api/org/branding")) });
  if (branding.isPending) return <SkeletonRows />;
  if (branding.isLoadingError) return <ProblemNotice problem={branding.error} onRetry={() => void branding.refetch()} />;
  const found = branding.data;
  const refresh = async () => {
    await client.invalidateQueries({ queryKey: ["org-branding"] });
    await client.invalidateQueries({ queryKey: ["branding"] });
  };
  if (!may("org:manage")) {
    return (
      <>
        <SectionHead title={t("nav.branding")} />
        <div className={editor.both}>
          <BrandingPreview title={found.title} tagline={found.tagline} logo={found.logo} palette={found.palette} mode="light" />
          <BrandingPreview title={found.title} tagline={found.tagline} logo={found.logo} palette={found.palette} mode="dark" />
        </div>
      </>
    );
  }
  return (
    <>
      <SectionHead title={t("nav.branding")} />
      <BrandingEditor
        // What was dropped begins anew; what somebody types stays while the rest is looked at again.
        key={round}
        branding={found}
        resetName={found.own ? org.name : null}
        onSave={async (change) => {
          await api.PUT("/api/org/branding", { body: change as never });
          await refresh();
        }}
        onLogo={async (logo) => {
          await api.POST("/api/org/branding/logo", { body: logo });
          await refresh();
        }}
        onReset={async () => {
          await api.DELETE("/api/org/branding");
          await refresh();
          setRound(round + 1);
        }}
      />
    </>
  );
}
