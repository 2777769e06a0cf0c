/** The rows of branding. */

import type { Http } from "../http.js";
import { Download } from "../downloads.js";
import { segment } from "../sending.js";
import type { Brand } from "../types/branding.js";

/** The body of `branding.set`. */
export interface SetBrandBody {
  logo?: string | null;
  tagline?: string;
  /**
   * Colours as #rrggbb: bg, surface, text, muted, border, accent, on-accent, danger, on-danger, focus, and each with
   * dark- in front; radius: 0 to 24
   */
  theme?: Record<string, unknown>;
  title?: string;
}

/** The body of `branding.setLogo`. */
export interface SetLogoBrandBody {
  /** Must be what the data is by its content */
  content_type: "image/png" | "image/jpeg" | "image/webp" | "image/gif" | "image/svg+xml";
  /** The picture in base64, at most 524288 bytes */
  data: string;
}

/** Calls of branding. */
export class Branding {
  constructor(private readonly http: Http) {}

  /** The branding to show here: of the caller's company, of the hostname's, else the instance's. */
  get(): Promise<Brand> {
    return this.http.call("GET", "/api/branding");
  }

  /** A logo by the SHA-256 of its bytes. */
  logo(digest: string): Download {
    return new Download(this.http, `/api/branding/logos/${segment(digest)}`);
  }

  /**
   * Set the instance's branding; fields that are left out stay as they are.
   * Needs instance:manage.
   */
  set(body: SetBrandBody = {}): Promise<Brand> {
    return this.http.call("PUT", "/api/branding", { body });
  }

  /**
   * Upload the instance's logo.
   * Needs instance:manage.
   */
  setLogo(body: SetLogoBrandBody): Promise<Brand> {
    return this.http.call("POST", "/api/branding/logo", { body });
  }
}
