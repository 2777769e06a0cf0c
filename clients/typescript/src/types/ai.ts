/** What the API says about ai. */

export interface AiAgentReplyStepArtifact {
  kind: string;
  title: string;
}

export interface AiAgentReplyStepError {
  code: string;
  message: string;
}

export interface AiAgentReplyStep {
  /** What the tool was given; as the model wrote it where that is no JSON */
  arguments: unknown;
  artifact?: AiAgentReplyStepArtifact;
  /** The model read a part of the result */
  cut?: boolean;
  error?: AiAgentReplyStepError;
  result?: unknown;
  tool: string;
}

export interface AiAgentReplyUsage {
  completion_tokens: number;
  /** There where the model did not count */
  estimated?: boolean;
  prompt_tokens: number;
  total_tokens: number;
}

export interface AiAgentReply {
  executor: string;
  model: string;
  /** Enabled tools that match the prompt less well */
  not_offered?: string[];
  reply: string;
  simulated: boolean;
  steps: AiAgentReplyStep[];
  /** The limit that ended it */
  stopped?: "max_steps" | "max_tokens" | "max_seconds";
  usage: AiAgentReplyUsage;
}

export interface AiAgentReply2 {
  id: string;
  kind: string;
  state: string;
}

export interface AgentAiHistory {
  role: "user" | "assistant";
  text: string;
}

export interface AgentAiPrompt {
  text: string;
  type: "text";
}

export interface AgentAiPromptImageUrl {
  detail?: "auto" | "low" | "high";
  /** The picture itself as a data: address; one by http where the operator lets it be fetched */
  url: string;
}

export interface AgentAiPromptSent {
  image_url: AgentAiPromptImageUrl;
  type: "image_url";
}

export interface AiAgentAiPrompt {
  object_id: string;
  type: "object";
}

export interface AiChatReply {
  executor: string;
  finish_reason: string;
  model: string;
  /** The reply as a value, where response_format asked for JSON */
  parsed?: unknown;
  /** What the model said to itself, where it did */
  reasoning?: string;
  /** It took a second turn to fit response_format */
  repaired?: boolean;
  reply: string;
  simulated: boolean;
  usage: AiAgentReplyUsage;
}

export interface ChatAiResponseFormat {
  type: "text" | "json_object";
}

export interface ChatAiResponseFormatJsonSchema {
  description?: string;
  name: string;
  /** JSON Schema 2020-12 without recursion */
  schema: unknown;
  strict?: boolean;
}

export interface ChatAiResponseFormatSent {
  json_schema: ChatAiResponseFormatJsonSchema;
  type: "json_schema";
}

export interface AiEchoReply {
  text: string;
  usage: AiAgentReplyUsage;
}

export interface AiModelHealth {
  checked_at: string | null;
  detail: string | null;
  status: "ok" | "down" | "unknown";
}

export interface AiModel {
  executor: string;
  health: AiModelHealth;
  model: string;
  simulated: boolean;
  url: string | null;
}

export interface AiModelRolesDefault {
  embedding?: string;
  utility: string;
}

export interface AiModelRolesRoles {
  embedding?: string | null;
  utility: string | null;
}

export interface AiModelRoles {
  default: AiModelRolesDefault;
  roles: AiModelRolesRoles;
}

export interface SetModelRolesAiRoles {
  embedding?: string | null;
  utility?: string | null;
}
