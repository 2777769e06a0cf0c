import { useMutation, useQueryClient, type QueryKey } from "@tanstack/react-query";

import { useText } from "../i18n/texts";
import { useProblemWords } from "./ProblemNotice";
import { useAnnounce } from "./Toasts";

interface Flip {
  name: string;
  enabled: boolean;
}

/** Switches that move at once, and move back, saying why, where the server refuses. */
export function useSwitches(key: QueryKey, send: (flip: Flip) => Promise<unknown>) {
  const t = useText();
  const announce = useAnnounce();
  const client = useQueryClient();
  const flip = useMutation({
    mutationFn: send,
    onSuccess: (_, { name, enabled }) =>
      announce(t(enabled ? "features.turned_on" : "features.turned_off", { name }), () => flip.mutate({ name, enabled: !enabled })),
    onSettled: async () => {
      await client.invalidateQueries({ queryKey: key });
      void client.invalidateQueries({ queryKey: ["ui"] });
      // Who switched it is said beside it.
      void client.invalidateQueries({ queryKey: ["audit"] });
    },
  });
  const why = useProblemWords(flip.error);
  /** Where a switch stands now: where it is going while that is not known yet. */
  const standing = (name: string, enabled: boolean) => (flip.isPending && flip.variables.name === name ? flip.variables.enabled : enabled);
  return { flip: flip.mutate, standing, why: flip.isError ? why : null, problem: flip.error };
}
