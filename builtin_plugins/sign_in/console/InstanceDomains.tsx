import { useQueryClient } from "@tanstack/react-query";
import { Check, Trash2 } from "lucide-react";
import { useState } from "react";

import { callRow } from "@guildhall/console/api/rows";
import { useText } from "@guildhall/console/i18n/texts";
import cells from "@guildhall/console/ui/Cells.module.css";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { PagedTable } from "@guildhall/console/ui/PagedTable";
import { Revoke } from "@guildhall/console/ui/Revoke";
import { RowAction } from "@guildhall/console/ui/RowAction";
import { Time } from "@guildhall/console/ui/Time";
import { usePages } from "@guildhall/console/ui/usePages";
import { ClaimState, idOf, type Claim, type ClaimPage } from "./claim";

type CompanysClaim = Claim & { org: { id: string; name: string } };

const PATH = "/api/admin/email-domains";
const KEY = ["email-domains", "instance"];

/** Which company claims which e-mail domain, and the operator's word on those in doubt. */
export default function InstanceDomains() {
  const t = useText();
  const client = useQueryClient();
  const [deciding, setDeciding] = useState<{ claim: CompanysClaim; isConfirmed: boolean } | null>(null);
  const pages = usePages(KEY, async (cursor) => {
    const query = new URLSearchParams({ ...cursor }).toString();
    return (await callRow({ method: "GET", path: `${PATH}?${query}` })) as ClaimPage<CompanysClaim>;
  });
  return (
    <>
      <PageHead title={t("signin.domains")} text={t("signin.domains_about_instance")} />
      <PagedTable
        label={t("signin.domains")}
        pages={pages}
        idOf={idOf}
        empty={{ text: t("signin.no_claims") }}
        columns={[
          { id: "domain", name: t("signin.domain"), cell: ({ domain }) => <bdi className={cells.strong}>{domain}</bdi> },
          { id: "company", name: t("signin.company"), cell: ({ org }) => <bdi>{org.name}</bdi> },
          { id: "state", name: t("signin.claim_state"), cell: (claim) => <ClaimState claim={claim} /> },
          { id: "claimed", name: t("signin.claimed"), isSecondary: true, cell: ({ claimed_at: at }) => <Time at={at} /> },
        ]}
        actions={(claim) => (
          <>
            {!claim.confirmed_at && <RowAction icon={Check} name={t("signin.confirm")} of={claim.domain} onPress={() => setDeciding({ claim, isConfirmed: true })} />}
            <RowAction icon={Trash2} name={t("signin.release")} of={claim.domain} onPress={() => setDeciding({ claim, isConfirmed: false })} />
          </>
        )}
      />
      {deciding && (
        <Revoke
          text={t(deciding.isConfirmed ? "signin.confirm_claim" : "signin.take_claim", { domain: deciding.claim.domain, company: deciding.claim.org.name })}
          action={t(deciding.isConfirmed ? "signin.confirm" : "signin.release")}
          onClose={() => setDeciding(null)}
          onRevoke={async () => {
            const path = `${PATH}/${encodeURIComponent(deciding.claim.domain)}`;
            await callRow(deciding.isConfirmed ? { method: "PUT", path, body: { org_id: deciding.claim.org.id } } : { method: "DELETE", path });
            void client.invalidateQueries({ queryKey: KEY });
          }}
        />
      )}
    </>
  );
}
