import { useState } from "react";

import { callRow } from "@guildhall/console/api/rows";
import { useText } from "@guildhall/console/i18n/texts";
import { PagedTable } from "@guildhall/console/ui/PagedTable";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { Select } from "@guildhall/console/ui/Select";
import { Time } from "@guildhall/console/ui/Time";
import { usePages } from "@guildhall/console/ui/usePages";

interface Mail {
  id: string;
  name: string;
  to: string;
  user: { username: string } | null;
  state: string;
  error: string | null;
  created_at: string;
}

interface Page {
  items: Mail[];
  next_cursor: string | null;
  is_set_up: boolean;
  sender: string;
}

const STATES = ["waiting", "sent", "refused", "failed", "expired", "held_back"] as const;
const ALL = "all";

/** What was mailed and why not, for operators. */
export default function Mails() {
  const t = useText();
  const [state, setState] = useState<string>(ALL);
  const pages = usePages(["mails", state], async (cursor) => {
    const query = new URLSearchParams({ ...cursor, ...(state !== ALL && { state }) }).toString();
    return (await callRow({ method: "GET", path: `/api/admin/mails?${query}` })) as Page;
  });
  const first = pages.data?.pages[0] as Page | undefined;
  const set = first && (first.is_set_up ? t("mail.is_on", { sender: first.sender }) : t("mail.is_off"));
  return (
    <>
      <PageHead title={t("mail.title")} text={[t("mail.about"), set].filter(Boolean).join(" ")}>
        <Select
          label={t("mail.state")}
          isLabelHidden
          options={[{ id: ALL, name: t("notifications.all") }, ...STATES.map((id) => ({ id, name: t(`mail.state_${id}`) }))]}
          value={state}
          onChange={setState}
        />
      </PageHead>
      <PagedTable
        label={t("mail.title")}
        pages={pages}
        empty={{ text: t("mail.none") }}
        idOf={({ id }) => id}
        columns={[
          { id: "to", name: t("mail.to"), cell: ({ to }) => <bdi>{to}</bdi> },
          { id: "what", name: t("mail.what"), isSecondary: true, cell: ({ name }) => name },
          { id: "state", name: t("mail.state"), cell: ({ state: is, error }) => [t(`mail.state_${is}`), error].filter(Boolean).join(": ") },
          { id: "when", name: t("mail.when"), cell: ({ created_at: at }) => <Time at={at} /> },
        ]}
      />
    </>
  );
}
