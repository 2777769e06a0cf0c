import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { Link } from "wouter";

import { Problem } from "@guildhall/console/api/problem";
import { callRow } from "@guildhall/console/api/rows";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import cells from "@guildhall/console/ui/Cells.module.css";
import { Form } from "@guildhall/console/ui/Form";
import { Actions, Modal } from "@guildhall/console/ui/Modal";
import { PagedTable } from "@guildhall/console/ui/PagedTable";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Revoke } from "@guildhall/console/ui/Revoke";
import { RowAction } from "@guildhall/console/ui/RowAction";
import { Select } from "@guildhall/console/ui/Select";
import { TextField } from "@guildhall/console/ui/TextField";
import { Time } from "@guildhall/console/ui/Time";
import { usePages } from "@guildhall/console/ui/usePages";
import { ClaimState, idOf, type Claim, type ClaimPage } from "./claim";
import { Heading } from "./Heading";
import { COMPANY, fetchWay, fetchWays, keyOf, type Way } from "./way";

type OwnClaim = Claim & { way: string };

const KEY = ["email-domains", "company"];

/** The domains of a way with one changed: as they are now, whoever else has changed them meanwhile. */
async function changeDomains(wayId: string, change: (domains: string[]) => string[]): Promise<void> {
  const { domains } = await fetchWay(COMPANY, wayId);
  await callRow({ method: "PATCH", path: `${COMPANY.rows}/${wayId}`, body: { domains: change(domains) } });
}

/** The e-mail domains by which a company's people are led to its ways to sign in. */
export default function CompanyDomains() {
  const t = useText();
  const client = useQueryClient();
  const [isClaiming, setClaiming] = useState(false);
  const [releasing, setReleasing] = useState<OwnClaim | null>(null);
  const ways = useQuery({ queryKey: [...keyOf(COMPANY), "all"], queryFn: () => fetchWays(COMPANY, { limit: "100" }) });
  const pages = usePages(KEY, async (cursor) => {
    const query = new URLSearchParams({ ...cursor }).toString();
    return (await callRow({ method: "GET", path: `/api/org/email-domains?${query}` })) as ClaimPage<OwnClaim>;
  });
  function refetch() {
    void client.invalidateQueries({ queryKey: KEY });
    void client.invalidateQueries({ queryKey: keyOf(COMPANY) });
  }
  const found = ways.data?.items ?? [];
  const claim = (
    <Button kind="primary" isDisabled={found.length === 0} onPress={() => setClaiming(true)}>
      <Plus size={16} aria-hidden="true" />
      {t("signin.claim")}
    </Button>
  );
  const isFirst = ways.isSuccess && found.length === 0;
  return (
    <>
      <Heading place={COMPANY} title={t("signin.domains")} text={t("signin.domains_about")}>
        {claim}
      </Heading>
      {ways.isError && <ProblemNotice problem={ways.error} onRetry={() => void ways.refetch()} />}
      <PagedTable
        label={t("signin.domains")}
        pages={pages}
        idOf={idOf}
        empty={isFirst ? { text: t("signin.claim_first"), action: <Link href={COMPANY.path}>{t("signin.title")}</Link> } : { text: t("signin.no_domains"), action: claim }}
        columns={[
          { id: "domain", name: t("signin.domain"), cell: ({ domain }) => <bdi className={cells.strong}>{domain}</bdi> },
          { id: "way", name: t("signin.way"), isSecondary: true, cell: ({ way, way_id: id }) => <Link href={`${COMPANY.path}/${id}`}>{way}</Link> },
          { id: "state", name: t("signin.claim_state"), cell: (row) => <ClaimState claim={row} /> },
          { id: "claimed", name: t("signin.claimed"), isSecondary: true, cell: ({ claimed_at: at }) => <Time at={at} /> },
        ]}
        actions={(row) => <RowAction icon={Trash2} name={t("signin.release")} of={row.domain} onPress={() => setReleasing(row)} />}
      />
      {isClaiming && <ClaimDialog ways={found} onClose={() => setClaiming(false)} onDone={refetch} />}
      {releasing && (
        <Revoke
          text={t("signin.release_confirm", { domain: releasing.domain })}
          action={t("signin.release")}
          onClose={() => setReleasing(null)}
          onRevoke={async () => {
            await changeDomains(releasing.way_id, (domains) => domains.filter((domain) => domain !== releasing.domain));
            refetch();
          }}
        />
      )}
    </>
  );
}

function ClaimDialog({ ways, onClose, onDone }: { ways: Way[]; onClose: () => void; onDone: () => void }) {
  const t = useText();
  const [way, setWay] = useState(ways[0]?.id ?? "");
  const [domain, setDomain] = useState("");
  const claim = useMutation({
    mutationFn: () => changeDomains(way, (domains) => [domain.trim(), ...domains]),
    onSuccess: () => {
      onDone();
      onClose();
    },
  });
  // It stands first among the way's own.
  const fault = claim.error instanceof Problem ? claim.error.at("/domains/0") : undefined;
  return (
    <Modal title={t("signin.claim")} isOpen onClose={onClose}>
      <Form name="claim-domain" onSubmit={() => claim.mutate()}>
        {claim.isError && <ProblemNotice problem={claim.error} />}
        <TextField label={t("signin.domain")} help={t("signin.claim_help")} isRequired value={domain} onChange={setDomain} autoFocus {...(fault && { fault })} />
        {ways.length > 1 && <Select label={t("signin.way")} options={ways.map(({ id, label }) => ({ id, name: label }))} value={way} onChange={setWay} />}
        <Actions onCancel={onClose}>
          <Button kind="primary" type="submit" isPending={claim.isPending}>
            {t("signin.claim")}
          </Button>
        </Actions>
      </Form>
    </Modal>
  );
}
