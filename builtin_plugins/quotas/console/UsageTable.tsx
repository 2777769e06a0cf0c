import type { ComponentProps, ReactNode } from "react";

import { useTexts } from "@guildhall/console/i18n/texts";
import { PagedTable } from "@guildhall/console/ui/PagedTable";
import styles from "./Usage.module.css";

interface Line {
  id: string;
  name: string;
  requests: number;
  tokens: number;
}

interface UsageTableProps {
  label: string;
  pages: ComponentProps<typeof PagedTable<Line>>["pages"];
  nameOf: (line: Line) => ReactNode;
}

/** Who used how much: figures, and bars of the same. */
export function UsageTable({ label, pages, nameOf }: UsageTableProps) {
  const { t, locale } = useTexts();
  const number = new Intl.NumberFormat(locale);
  const most = Math.max(1, ...(pages.data?.pages.flatMap(({ items }) => items.map(({ tokens }) => tokens)) ?? []));
  return (
    <PagedTable
      label={label}
      pages={pages}
      idOf={({ id }) => id}
      empty={{ text: t("usage.nothing_yet") }}
      columns={[
        { id: "name", name: t("list.name"), cell: nameOf },
        { id: "requests", name: t("usage.ai_requests"), isFigure: true, cell: ({ requests }) => number.format(requests) },
        { id: "tokens", name: t("usage.ai_tokens"), isFigure: true, cell: ({ tokens }) => number.format(tokens) },
        {
          id: "share",
          name: t("usage.share"),
          isSecondary: true,
          cell: ({ tokens }) => (
            <span className={styles.share} aria-hidden="true">
              <span className={styles.bar} style={{ width: `${(tokens / most) * 100}%` }} />
            </span>
          ),
        },
      ]}
    />
  );
}
