/** What the API says about workflow tries. */

export interface CreatedWorkflowTryError {
  code: string;
  message: string;
}

export interface CreatedWorkflowTry {
  error: CreatedWorkflowTryError | null;
  given: unknown;
  result: unknown;
}
