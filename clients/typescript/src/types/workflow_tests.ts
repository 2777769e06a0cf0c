/** What the API says about workflow tests. */

export interface CreatedWorkflowTestError {
  code: string;
  message: string;
  step: string;
}

export interface CreatedWorkflowTestStepError {
  code: string;
  message: string;
}

export interface CreatedWorkflowTestStep {
  error: CreatedWorkflowTestStepError | null;
  given: unknown;
  how: "computed" | "sample" | "assumed" | "ran" | "previewed" | "not_run";
  name: string;
  result: unknown;
}

export interface CreatedWorkflowTest {
  error: CreatedWorkflowTestError | null;
  output: unknown;
  steps: CreatedWorkflowTestStep[];
}
