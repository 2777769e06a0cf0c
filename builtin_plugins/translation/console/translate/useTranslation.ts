import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import type { Use } from "./glossaryMarks";

/** A translation as it is shown, whether it was just made or comes from the history. */
export interface Translation {
  id: string;
  text: string;
  sourceText: string;
  source: string | null;
  target: string;
  glossary: readonly Use[];
  missed: readonly Use[];
  untranslated: boolean;
  model: string;
  usage?: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
}

export interface Wanted {
  text: string;
  target: string;
  source: string | null;
}

export function useTranslation() {
  const client = useQueryClient();
  const [result, setResult] = useState<Translation | null>(null);
  const translate = useMutation({
    mutationFn: ({ text, target, source }: Wanted) =>
      dataOf(api.POST("/api/translate", { body: { text, target, ...(source && { source }) } })),
    onSuccess: (made, { text }) => {
      setResult({ ...made, sourceText: text });
      void client.invalidateQueries({ queryKey: ["translations"] });
    },
  });
  /** Those that are to be removed: not shown, and removed when nobody can take it back any more. */
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const hide = (id: string, isHidden: boolean) =>
    setHidden((before) => new Set(isHidden ? [...before, id] : [...before].filter((one) => one !== id)));
  const remove = useMutation({
    // The page may be closed just now.
    mutationFn: (id: string) => dataOf(api.DELETE("/api/translate/{id}", { params: { path: { id } }, keepalive: true })),
    onSuccess: () => client.invalidateQueries({ queryKey: ["translations"] }),
    onError: (_cause, id) => hide(id, false),
  });
  return { result, show: setResult, translate, remove, hidden, hide };
}
