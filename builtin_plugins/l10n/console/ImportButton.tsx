import { useMutation, useQueryClient } from "@tanstack/react-query";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { useAnnounce } from "@guildhall/console/ui/Toasts";

/** Reads the catalog files of the server anew, all of them or those of one language. */
export function useImport() {
  const t = useText();
  const announce = useAnnounce();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (locale: string | null) => dataOf(api.POST("/api/l10n/import", { body: locale === null ? {} : { locale } })),
    onSuccess: (counts) => {
      announce(t("l10n.imported", counts));
      void client.invalidateQueries({ queryKey: ["l10n"] });
    },
  });
}

export function ImportButton() {
  const t = useText();
  const load = useImport();
  return (
    <>
      <Button isPending={load.isPending} onPress={() => load.mutate(null)}>
        {t("l10n.import")}
      </Button>
      {load.isError && <ProblemNotice problem={load.error} />}
    </>
  );
}
