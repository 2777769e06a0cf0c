/** A typed client of Guildhall's HTTP API. */

export { Client, type Options } from "./client.js";
export { Download } from "./downloads.js";
export { Events, type ServerEvent } from "./events.js";
export type { Call, Retries } from "./http.js";
export { Pages } from "./paging.js";
export { Changed, GuildhallError, Problem, Unreachable, type FieldError } from "./problem.js";
export type * from "./types/index.js";
