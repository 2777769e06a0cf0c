import { useQuery } from "@tanstack/react-query";

import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { offeredWays, type Offered } from "./offered";

interface WaysInProps {
  /** What stands in the field for a name: the domain of an address may have ways of its own. */
  username: string;
  chosen: string | null;
  onChoose: (way: Offered | null) => void;
}

/** What this host, or the domain of an address, offers beside a password of one's own here. */
export function WaysIn({ username, chosen, onChoose }: WaysInProps) {
  const t = useText();
  const [, domain] = /^[^@\s]+@([^@\s]+\.[^@\s]{2,})$/.exec(username.trim()) ?? [];
  const ways = useQuery({
    queryKey: ["ways-in", domain ?? ""],
    queryFn: () => offeredWays(domain ? `somebody@${domain}` : ""),
    placeholderData: (before: Offered[] | undefined) => before,
    staleTime: Infinity,
  });
  return ways.data?.map((way) => {
    const label = t("entry.with", { label: way.label });
    const { start } = way;
    if (start) {
      return (
        <Button key={way.id} onPress={() => location.assign(start)}>
          {label}
        </Button>
      );
    }
    return (
      <Button key={way.id} kind="quiet" onPress={() => onChoose(chosen === way.id ? null : way)}>
        {chosen === way.id ? t("entry.with_password") : label}
      </Button>
    );
  });
}
