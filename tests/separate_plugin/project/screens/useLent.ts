import { useHall, useQuery, type Waiting } from "@guildhall/console";

import type { Thing } from "./things";

/** What was lent out, for the first page. */
export default function useLent(): Waiting {
  const { client } = useHall();
  const things = useQuery({ queryKey: ["loans", "lent"], queryFn: () => client.get<{ items: Thing[] }>("/api/loans") });
  const lent = things.data?.items.filter(({ borrower }) => borrower !== null) ?? [];
  return {
    heading: "loans.lent",
    items: lent.map(({ id, label, borrower }) => ({ id, path: `/loans/${id}`, title: label, detail: borrower ?? "" })),
  };
}
