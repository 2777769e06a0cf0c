/** What the API says about glossary. */

export interface GlossaryTermBy {
  id: string;
  name: string;
}

export interface GlossaryTerm {
  by: GlossaryTermBy;
  created_at: string;
  id: string;
  note: string | null;
  target: string;
  term: string;
  translation: string;
  updated_at: string;
}

export interface GlossaryTermPage {
  items: GlossaryTerm[];
  next_cursor: string | null;
}
