/** What the API says about models. */

export interface ModelItemAllowed {
  roles?: string[];
  teams?: string[];
  users?: string[];
}

export interface ModelItemPrice {
  currency: string;
  input_per_million: number;
  output_per_million: number;
}

export interface ModelItem {
  allowed: ModelItemAllowed | null;
  description: string;
  executor: string;
  /** For the whole instance, and not for the caller's company alone */
  instance: boolean;
  label: string;
  model: string | null;
  name: string;
  price: ModelItemPrice | null;
}

export interface ModelItem2 {
  description: string;
  label: string;
  name: string;
  price: ModelItemPrice | null;
  /** chat, and the roles that models have in the team */
  roles: string[];
}

export interface Model {
  items: (ModelItem | ModelItem2)[];
  next_cursor: string | null;
}

export interface UpdateModelAllowed {
  roles?: string[];
  teams?: string[];
  users?: string[];
}

export interface UpdateModelPrice {
  currency: string;
  input_per_million: number;
  output_per_million: number;
}
