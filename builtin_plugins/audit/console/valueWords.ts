import { useTexts } from "@guildhall/console/i18n/texts";

/** A value of an event as people read it: people by their names, switches and figures in words. */
export function useValueWords(nameOf: (id: string) => string | undefined): (value: unknown) => string {
  const { t, locale } = useTexts();
  return (value) => {
    if (value === true) return t("state.on");
    if (value === false) return t("state.off");
    if (value === null || value === undefined || value === "") return t("state.none");
    if (typeof value === "number") return new Intl.NumberFormat(locale).format(value);
    if (typeof value === "string") return nameOf(value) ?? value;
    if (Array.isArray(value)) return value.length === 0 ? t("state.none") : value.map((one) => (typeof one === "string" ? (nameOf(one) ?? one) : JSON.stringify(one))).join(", ");
    return JSON.stringify(value);
  };
}
