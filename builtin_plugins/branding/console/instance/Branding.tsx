import { useQuery, useQueryClient } from "@tanstack/react-query";

import { api, dataOf } from "@guildhall/console/api/client";
import { problemOf } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import type { Branding as Look } from "@guildhall/console/instance";
import { EmptyState } from "@guildhall/console/ui/EmptyState";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { BrandingEditor } from "../company/BrandingEditor";

/** How the instance looks before anybody is in, and to every company without a look of its own. */
export function Branding() {
  const t = useText();
  const client = useQueryClient();
  const branding = useQuery({ queryKey: ["instance", "branding"], queryFn: loadOwn });
  const refresh = async () => {
    await client.invalidateQueries({ queryKey: ["instance", "branding"] });
    await client.invalidateQueries({ queryKey: ["branding"] });
  };
  return (
    <>
      <PageHead title={t("nav.branding")} text={t("instance.branding_text")} />
      {branding.isPending ? (
        <SkeletonRows />
      ) : branding.isLoadingError ? (
        <ProblemNotice problem={branding.error} onRetry={() => void branding.refetch()} />
      ) : branding.data.own ? (
        <EmptyState text={t("instance.branding_elsewhere")} />
      ) : (
        <BrandingEditor
          branding={branding.data}
          resetName={null}
          onReset={() => Promise.resolve()}
          onSave={async (change) => {
            await dataOf(api.PUT("/api/branding", { body: change as never }));
            await refresh();
          }}
          onLogo={async (logo) => {
            await dataOf(api.POST("/api/branding/logo", { body: logo }));
            await refresh();
          }}
        />
      )}
    </>
  );
}

/** As nobody: who is signed in is shown the look of their company. On a company's hostname that is what there is. */
async function loadOwn(): Promise<Look> {
  const response = await fetch("/api/branding");
  if (!response.ok) throw await problemOf(response);
  return (await response.json()) as Look;
}
