import { useTexts } from "@guildhall/console/i18n/texts";

/** The words for a kind of step; one that a plugin brings is called by its name. */
export function useKindWords(): (kind: string) => string {
  const { t, has } = useTexts();
  return (kind) => (has(`workflows.kind_${kind}`) ? t(`workflows.kind_${kind}`) : kind);
}
