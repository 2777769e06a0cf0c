/** The rows of ai. */

import type { Http } from "../http.js";
import { Events } from "../events.js";
import type {
  AgentAiHistory,
  AgentAiPrompt,
  AgentAiPromptSent,
  AiAgentAiPrompt,
  AiAgentReply,
  AiAgentReply2,
  AiChatReply,
  AiEchoReply,
  AiModel,
  AiModelRoles,
  ChatAiResponseFormat,
  ChatAiResponseFormatSent,
  SetModelRolesAiRoles,
} from "../types/ai.js";

/** The body of `ai.agent`. */
export interface AgentAiBody {
  /** Answers 202 with a job; GET /api/jobs/:id/events follows it */
  background?: boolean;
  /** An executor by name; needs instance:manage */
  executor?: string;
  /** What was said before, oldest first; the server keeps no conversation */
  history?: AgentAiHistory[];
  /** How many turns of the model may call tools; in each it may call several */
  max_steps?: number;
  /** Of each turn */
  max_tokens?: number;
  /** A model by its name: see GET /api/models */
  model?: string;
  /** A text, or a list of parts */
  prompt: string | (AgentAiPrompt | AgentAiPromptSent | AiAgentAiPrompt)[];
  system?: string;
  /** The tools to offer, by name; without it those that match the prompt best */
  tools?: string[];
}

/** The body of `ai.agentStream`. */
export interface AgentStreamAiBody {
  /** Answers 202 with a job; GET /api/jobs/:id/events follows it */
  background?: boolean;
  /** An executor by name; needs instance:manage */
  executor?: string;
  /** What was said before, oldest first; the server keeps no conversation */
  history?: AgentAiHistory[];
  /** How many turns of the model may call tools; in each it may call several */
  max_steps?: number;
  /** Of each turn */
  max_tokens?: number;
  /** A model by its name: see GET /api/models */
  model?: string;
  /** A text, or a list of parts */
  prompt: string | (AgentAiPrompt | AgentAiPromptSent | AiAgentAiPrompt)[];
  system?: string;
  /** The tools to offer, by name; without it those that match the prompt best */
  tools?: string[];
}

/** The body of `ai.chat`. */
export interface ChatAiBody {
  /** Answers 202 with a job; GET /api/jobs/:id/events follows it */
  background?: boolean;
  /** An executor by name; needs instance:manage */
  executor?: string;
  /** What was said before, oldest first; the server keeps no conversation */
  history?: AgentAiHistory[];
  max_tokens?: number;
  /** A model by its name: see GET /api/models */
  model?: string;
  /** A text, or a list of parts */
  prompt: string | (AgentAiPrompt | AgentAiPromptSent | AiAgentAiPrompt)[];
  /** How the answer must be laid out, as OpenAI's API has it */
  response_format?: ChatAiResponseFormat | ChatAiResponseFormatSent;
  system?: string;
  temperature?: number;
}

/** The body of `ai.chatStream`. */
export interface ChatStreamAiBody {
  /** An executor by name; needs instance:manage */
  executor?: string;
  /** What was said before, oldest first; the server keeps no conversation */
  history?: AgentAiHistory[];
  max_tokens?: number;
  /** A model by its name: see GET /api/models */
  model?: string;
  /** A text, or a list of parts */
  prompt: string | (AgentAiPrompt | AgentAiPromptSent | AiAgentAiPrompt)[];
  /** How the answer must be laid out, as OpenAI's API has it */
  response_format?: ChatAiResponseFormat | ChatAiResponseFormatSent;
  system?: string;
  temperature?: number;
}

/** The body of `ai.echo`. */
export interface EchoAiBody {
  text: string;
}

/** The body of `ai.setModelRoles`. */
export interface SetModelRolesAiBody {
  roles: SetModelRolesAiRoles;
}

/** Calls of ai. */
export class Ai {
  constructor(private readonly http: Http) {}

  /**
   * A model in a loop with the team's tools; as server-sent events step, delta, then done or error.
   * Needs chat:use.
   */
  agent(body: AgentAiBody): Promise<AiAgentReply | AiAgentReply2> {
    return this.http.call("POST", "/api/agent", { body });
  }

  /**
   * A model in a loop with the team's tools; as server-sent events step, delta, then done or error.
   * Needs chat:use.
   */
  agentStream(body: AgentStreamAiBody): Events {
    return new Events(this.http, "POST", "/api/agent", { body });
  }

  /**
   * One turn of a model; with background, a job that does it.
   * Needs chat:use.
   */
  chat(body: ChatAiBody): Promise<AiChatReply | AiAgentReply2> {
    return this.http.call("POST", "/api/ai/chat", { body });
  }

  /**
   * One turn of a model as server-sent events: delta, then done or error.
   * Needs chat:use.
   */
  chatStream(body: ChatStreamAiBody): Events {
    return new Events(this.http, "POST", "/api/ai/chat/stream", { body });
  }

  /**
   * The text again, metered as a turn of a model would be.
   * Needs chat:use.
   */
  echo(body: EchoAiBody): Promise<AiEchoReply> {
    return this.http.call("POST", "/api/ai/echo", { body });
  }

  /** The instance's own model, or that the simulated one is in its place. */
  model(): Promise<AiModel> {
    return this.http.call("GET", "/api/ai/model");
  }

  /** The executor of each role, and the instance's default. */
  modelRoles(): Promise<AiModelRoles> {
    return this.http.call("GET", "/api/model-roles");
  }

  /**
   * Give roles to executors; null goes back to the instance's default.
   * Needs settings:manage.
   */
  setModelRoles(body: SetModelRolesAiBody): Promise<AiModelRoles> {
    return this.http.call("PUT", "/api/model-roles", { body });
  }
}
