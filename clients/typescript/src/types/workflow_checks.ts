/** What the API says about workflow checks. */

export interface CreatedWorkflowCheckProblem {
  message: string;
  /** Where in the spec */
  pointer: string;
}

export interface CreatedWorkflowCheck {
  problems: CreatedWorkflowCheckProblem[];
  warnings: CreatedWorkflowCheckProblem[];
}
