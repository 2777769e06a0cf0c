import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { api, dataOf } from "../../api/client";
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
  const remove = useMutation({
    mutationFn: (id: string) => dataOf(api.DELETE("/api/translate/{id}", { params: { path: { id } } })),
    onSuccess: () => {
      setResult(null);
      void client.invalidateQueries({ queryKey: ["translations"] });
    },
  });
  return { result, show: setResult, translate, remove };
}
