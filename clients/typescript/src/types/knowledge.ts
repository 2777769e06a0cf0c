/** What the API says about knowledge. */

export interface KnowledgeEntityMention {
  key: string;
  name: string;
  object_id: string;
  snippet: string;
}

export interface KnowledgeEntityMerged {
  id: string;
  merged_at: string;
  name: string;
  type: "person" | "organization" | "place" | "product" | "event" | "date" | "other";
}

export interface KnowledgeEntityRelationEntity {
  id: string;
  name: string;
  type: "person" | "organization" | "place" | "product" | "event" | "date" | "other";
}

export interface KnowledgeEntityRelation {
  direction: "out" | "in";
  entity: KnowledgeEntityRelationEntity;
  predicate: string;
}

export interface KnowledgeEntity {
  aliases: string[];
  id: string;
  mentions: KnowledgeEntityMention[];
  merged?: KnowledgeEntityMerged[];
  name: string;
  /** How many others it is related to, of the newest 100 relations each way */
  related?: number;
  relations: KnowledgeEntityRelation[];
  type: "person" | "organization" | "place" | "product" | "event" | "date" | "other";
}

export interface KnowledgeEntityGraphEdge {
  predicate: string;
  source: string;
  target: string;
}

export interface KnowledgeEntityGraphNode {
  distance: number;
  id: string;
  name: string;
  type: "person" | "organization" | "place" | "product" | "event" | "date" | "other";
}

export interface KnowledgeEntityGraph {
  edges: KnowledgeEntityGraphEdge[];
  hidden: number;
  nodes: KnowledgeEntityGraphNode[];
}

export interface KnowledgeEntitySimilarItem {
  aliases: string[];
  id: string;
  mentions: KnowledgeEntityMention[];
  name: string;
  reasons: ("same_name" | "shared_alias" | "close" | "contained" | "initials")[];
  score: number;
  type: "person" | "organization" | "place" | "product" | "event" | "date" | "other";
}

export interface KnowledgeEntitySimilar {
  items: KnowledgeEntitySimilarItem[];
  next_cursor: string | null;
  /** There were more likely twins than are compared at once */
  partial: boolean;
}

export interface KnowledgeExtractReply {
  id: string;
  state: string;
  workflow: unknown;
}

export interface KnowledgeGraphNode {
  id: string;
  name: string;
  related: number;
  type: "person" | "organization" | "place" | "product" | "event" | "date" | "other";
}

export interface KnowledgeGraph {
  edges: KnowledgeEntityGraphEdge[];
  more: boolean;
  nodes: KnowledgeGraphNode[];
}

export interface KnowledgeEntityPage {
  items: KnowledgeEntity[];
  next_cursor: string | null;
}
