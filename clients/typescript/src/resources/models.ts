/** The rows of models. */

import type { Http } from "../http.js";
import { segment } from "../sending.js";
import type { Model, ModelItem, UpdateModelAllowed, UpdateModelPrice } from "../types/models.js";

/** The query of `models.get`. */
export interface GetModelQuery {
  manage?: boolean;
}

/** The body of `models.update`. */
export interface UpdateModelBody {
  /** Who may use it: by role, or by id; nobody where it is empty. What is left out stays */
  allowed?: UpdateModelAllowed;
  description?: string;
  /** What runs it; a new one needs it */
  executor?: string;
  label?: string;
  model?: string | null;
  price?: UpdateModelPrice | null;
}

/** Calls of models. */
export class Models {
  constructor(private readonly http: Http) {}

  /**
   * Delete a model for members; default is then as it was without set-up.
   * Needs org:manage.
   */
  delete(name: string): Promise<void> {
    return this.http.call("DELETE", `/api/models/${segment(name)}`);
  }

  /**
   * The models that the caller may use; with manage=1 all that are named here, for who names them.
   * Needs chat:use.
   */
  get(query: GetModelQuery = {}): Promise<Model> {
    return this.http.call("GET", "/api/models", { query });
  }

  /**
   * Name a model for members: an executor of one's company with org:manage, any with instance:manage.
   * Needs org:manage.
   */
  update(name: string, body: UpdateModelBody = {}): Promise<ModelItem> {
    return this.http.call("PUT", `/api/models/${segment(name)}`, { body });
  }
}
