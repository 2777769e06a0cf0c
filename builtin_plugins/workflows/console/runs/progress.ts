/** How far a run is, from the events that its server sends. */

import type { Run, RunStep } from "./run";

/** A step as an event has it: by its number, with its output where that is short, without its input. */
export type StepEvent = RunStep & { number: number };

export class RunProgress {
  readonly #steps = new Map<number, RunStep>();

  /** Takes an event: a step that began, got on or ended. */
  take({ number, ...step }: StepEvent): void {
    this.#steps.set(number, step);
  }

  /** The run with its steps as they are by now; what only the run itself tells of them is kept. */
  of(run: Run): Run {
    if (this.#steps.size === 0) return run;
    const numbers = [...this.#steps.keys()].sort((a, b) => a - b);
    const steps = numbers.map((number, place) => joined(this.#steps.get(number)!, run.steps[place]));
    return { ...run, steps };
  }
}

function joined(step: RunStep, known: RunStep | undefined): RunStep {
  if (!known || known.name !== step.name) return step;
  // A longer output is in no event, and an input in none at all.
  return { ...step, input: known.input, output: step.output ?? (step.state === known.state ? known.output : null) };
}

/** The last time that each step was taken, by its name: what a graph shows. */
export function latestByName(steps: readonly RunStep[]): Map<string, RunStep> {
  return new Map(steps.map((step) => [step.name, step]));
}
