/** The rows of knowledge. */

import type { Http } from "../http.js";
import { Pages } from "../paging.js";
import { segment } from "../sending.js";
import type {
  KnowledgeEntity,
  KnowledgeEntityGraph,
  KnowledgeEntityPage,
  KnowledgeEntitySimilar,
  KnowledgeExtractReply,
  KnowledgeGraph,
} from "../types/knowledge.js";

/** The query of `knowledge.entities`. */
export interface EntitiesKnowledgeQuery {
  /** How many items at the most */
  limit?: number;
  /** Part of a name or alias */
  q?: string;
  type?: "person" | "organization" | "place" | "product" | "event" | "date" | "other";
  /** In the order connected: some of the types, with commas between */
  types?: string;
  /** connected: what documents relate to most others first; without q and object alone */
  order?: "newest" | "connected";
  /** Only what this document speaks of */
  object?: string;
  /** org: what is visible to any team of the company */
  scope?: "team" | "org";
}

/** The query of `knowledge.entity`. */
export interface EntityKnowledgeQuery {
  /** org: what is visible to any team of the company */
  scope?: "team" | "org";
}

/** The query of `knowledge.entityGraph`. */
export interface EntityGraphKnowledgeQuery {
  /** How many steps away from the entity */
  depth?: number;
  /** org: what is visible to any team of the company */
  scope?: "team" | "org";
}

/** The body of `knowledge.extract`. */
export interface ExtractKnowledgeBody {
  /** Also what was made from other documents, such as translations */
  include_derived?: boolean;
}

/** The query of `knowledge.graph`. */
export interface GraphKnowledgeQuery {
  /** Some of the types, with commas between; all without it */
  types?: string;
  /** How many entities */
  limit?: number;
  /** org: what is visible to any team of the company */
  scope?: "team" | "org";
}

/** The body of `knowledge.mergeEntity`. */
export interface MergeEntityKnowledgeBody {
  from: string[];
}

/** The body of `knowledge.unmergeEntity`. */
export interface UnmergeEntityKnowledgeBody {
  from?: string[];
}

/** The body of `knowledge.updateEntity`. */
export interface UpdateEntityKnowledgeBody {
  aliases?: string[];
  name?: string;
  type?: "person" | "organization" | "place" | "product" | "event" | "date" | "other";
}

/** Calls of knowledge. */
export class Knowledge {
  constructor(private readonly http: Http) {}

  /**
   * Who and what the documents speak of that the caller can read, newest or most connected first.
   * Needs files:read.
   */
  entities(query: EntitiesKnowledgeQuery = {}): Pages<KnowledgeEntity, KnowledgeEntityPage> {
    return new Pages(this.http, "/api/kg/entities", query);
  }

  /**
   * One entity with its relations and mentions.
   * Needs files:read.
   */
  entity(id: string, query: EntityKnowledgeQuery = {}): Promise<KnowledgeEntity> {
    return this.http.call("GET", `/api/kg/entities/${segment(id)}`, { query });
  }

  /**
   * The neighbourhood of an entity, to be drawn: at most 200 nodes.
   * Needs files:read.
   */
  entityGraph(id: string, query: EntityGraphKnowledgeQuery = {}): Promise<KnowledgeEntityGraph> {
    return this.http.call("GET", `/api/kg/entities/${segment(id)}/graph`, { query });
  }

  /**
   * Likely twins of an entity with their passages, best first.
   * Needs files:read.
   */
  entitySimilar(id: string): Promise<KnowledgeEntitySimilar> {
    return this.http.call("GET", `/api/kg/entities/${segment(id)}/similar`);
  }

  /**
   * Run index-knowledge over the documents that were not extracted yet, those just uploaded included.
   * Needs workflows:run.
   */
  extract(body: ExtractKnowledgeBody = {}): Promise<KnowledgeExtractReply> {
    return this.http.call("POST", "/api/kg/extract", { body });
  }

  /**
   * The most connected entities, to be drawn, with what relates them to one another.
   * Needs files:read.
   */
  graph(query: GraphKnowledgeQuery = {}): Promise<KnowledgeGraph> {
    return this.http.call("GET", "/api/kg/graph", { query });
  }

  /**
   * Make other entities part of this one.
   * Needs files:write.
   */
  mergeEntity(id: string, body: MergeEntityKnowledgeBody): Promise<KnowledgeEntity> {
    return this.http.call("POST", `/api/kg/entities/${segment(id)}/merge`, { body });
  }

  /**
   * Undo the last merge into this entity, or that of the entities named, within 30 days.
   * Needs files:write.
   */
  unmergeEntity(id: string, body: UnmergeEntityKnowledgeBody = {}): Promise<KnowledgeEntity> {
    return this.http.call("POST", `/api/kg/entities/${segment(id)}/unmerge`, { body });
  }

  /**
   * Change the name, the type or the aliases of an entity; what is left out stays as it is.
   * Needs files:write.
   */
  updateEntity(id: string, body: UpdateEntityKnowledgeBody = {}): Promise<KnowledgeEntity> {
    return this.http.call("PATCH", `/api/kg/entities/${segment(id)}`, { body });
  }
}
