/** What the API says about translations. */

export interface TranslationBy {
  id: string;
  name: string;
}

export interface TranslationGlossaryTerm {
  term: string;
  translation: string;
}

export interface Translation {
  by: TranslationBy;
  created_at: string;
  glossary: TranslationGlossaryTerm[] | null;
  id: string;
  missed: TranslationGlossaryTerm[] | null;
  model: string;
  simulated: boolean;
  source: string | null;
  source_text: string | null;
  target: string;
  text: string | null;
  /** No model is there: the glossary was applied and nothing else */
  untranslated: boolean;
}

export interface TranslationPage {
  items: Translation[];
  next_cursor: string | null;
}

export interface CreatedTranslationUsage {
  completion_tokens: number;
  prompt_tokens: number;
  total_tokens: number;
}

export interface CreatedTranslation {
  by: TranslationBy;
  created_at: string;
  /** Terms of the glossary that stand in the source */
  glossary: TranslationGlossaryTerm[];
  id: string;
  /** Those of them that the translation has not */
  missed: TranslationGlossaryTerm[];
  model: string;
  simulated: boolean;
  source: string | null;
  target: string;
  text: string;
  /** No model is there: the glossary was applied and nothing else */
  untranslated: boolean;
  usage: CreatedTranslationUsage;
}

export interface TranslationCatalogReplyMissed {
  key: string;
  term: string;
  translation: string;
}

export interface TranslationCatalogReplyProblem {
  key: string;
  message: string;
}

export interface TranslationCatalogReply {
  /** Terms of the glossary that stand in the source */
  glossary: TranslationGlossaryTerm[];
  messages: Record<string, string>;
  missed: TranslationCatalogReplyMissed[];
  model: string;
  problems: TranslationCatalogReplyProblem[];
  simulated: boolean;
  source: string | null;
  target: string;
  /** No model is there: the glossary was applied and nothing else */
  untranslated: boolean;
  usage: CreatedTranslationUsage;
}
