import { useQuery } from "@tanstack/react-query";

import { Problem } from "@guildhall/console/api/problem";
import { callRow } from "@guildhall/console/api/rows";
import { useText } from "@guildhall/console/i18n/texts";
import type { Arriving } from "@guildhall/console/screens/entry";
import { depart } from "@guildhall/console/session/departure";
import { Button } from "@guildhall/console/ui/Button";

interface Offered {
  id: string;
  label: string;
  start?: string;
  takes_password: boolean;
}

/** What this host, or the domain of an address, offers beside a password of one's own here. */
export default function WaysIn({ username, addition, onAdd }: Arriving) {
  const t = useText();
  const [, domain] = /^[^@\s]+@([^@\s]+\.[^@\s]{2,})$/.exec(username.trim()) ?? [];
  const ways = useQuery({
    queryKey: ["ways-in", domain ?? ""],
    queryFn: () => offeredWays(domain ? `somebody@${domain}` : ""),
    placeholderData: (before: Offered[] | undefined) => before,
    staleTime: Infinity,
  });
  return ways.data?.map(({ id, label, start }) => {
    const title = t("entry.with", { label });
    if (start) {
      return (
        <Button key={id} onPress={() => (depart(id), location.assign(start))}>
          {title}
        </Button>
      );
    }
    const isChosen = addition?.body.way === id;
    return (
      <Button key={id} kind="quiet" onPress={() => onAdd(isChosen ? null : { title, body: { way: id } })}>
        {isChosen ? t("entry.with_password") : title}
      </Button>
    );
  });
}

/** The ways in at this host, or for an address; none where the server offers none. */
async function offeredWays(email: string): Promise<Offered[]> {
  const query = new URLSearchParams({ host: location.host, ...(email && { email }) }).toString();
  try {
    const { items } = (await callRow({ method: "GET", path: `/api/auth/ways?${query}` })) as { items: Offered[] };
    return items.filter(({ start, takes_password: takes }) => Boolean(start) || takes);
  } catch (cause) {
    if (cause instanceof Problem) return [];
    throw cause;
  }
}
