import { useQuery } from "@tanstack/react-query";
import { Gauge } from "lucide-react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useTexts } from "@guildhall/console/i18n/texts";
import type { Waiting } from "@guildhall/console/screens/define";
import { useDimensionName } from "@guildhall/console/ui/dimensions";

const TIGHT = 0.8;

/** Limits that are nearly reached, for the first page. */
export default function useTightLimits(): Waiting {
  const { t, locale } = useTexts();
  const usage = useQuery({
    queryKey: ["usage", "limits"],
    queryFn: () => dataOf(api.GET("/api/usage")),
    staleTime: 60_000,
  });
  const figure = new Intl.NumberFormat(locale, { notation: "compact" });
  const nameOf = useDimensionName();
  const items = typeof usage.data === "object" ? usage.data.items : [];
  return {
    heading: "console.limits",
    items: items.flatMap((item) => {
      if (!("dimension" in item) || !item.limit || item.used < TIGHT * item.limit) return [];
      const { dimension, used, limit, resets_at } = item;
      const title = t("home.quota_warning", { used: figure.format(used), limit: figure.format(limit), dimension: nameOf(dimension) });
      // Once it is full it is said again.
      return [{ id: `${dimension} ${resets_at ?? ""} ${used >= limit}`, path: "/usage", icon: Gauge, title, isAlarming: used >= limit }];
    }),
  };
}
