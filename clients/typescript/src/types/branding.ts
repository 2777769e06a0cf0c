/** What the API says about branding. */

export interface Brand {
  logo: string | null;
  /** Whether a company's own is shown, and not the instance's */
  own: boolean;
  /** Every token: the theme over the default */
  palette: Record<string, unknown>;
  tagline: string;
  /** The tokens that were set */
  theme: Record<string, unknown>;
  title: string;
}
