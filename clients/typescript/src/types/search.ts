/** What the API says about search. */

export interface SearchHitPassagePlace {
  heading?: string;
  line?: number;
  page?: number;
  sheet?: string;
}

export interface SearchHitPassage {
  place: SearchHitPassagePlace;
  /** A piece of the text as it stands there */
  text: string;
}

export interface SearchHit {
  found_by: ("words" | "meaning")[];
  id: string;
  passage: SearchHitPassage;
  /** From 0 to 1; the best come first */
  score: number;
  /** Hits stand between U+0001 and U+0002 */
  snippet: string;
  title: string;
  type: string;
  url: string;
}

export interface SearchHitPage {
  items: SearchHit[];
  next_cursor: string | null;
  /** Types that could not be searched just now; the log says why */
  unavailable: string[];
}
