import type { Value, ValueMap } from '../../../types/values/value.ts';
import type { Places } from './earlier_places.ts';
import type { RunNode } from './graph.ts';
import type { RunResult } from './journal.ts';
import type { Halt } from './node.ts';
import type { Outcome } from './node_values.ts';
import { toMessage } from './text_limits.ts';

/** Error lines that a run keeps at most. */
const MAX_ERROR_LINES = 100;

const flowOutputLabel = ({ inputNames: [label = ''] }: RunNode): string => label;

/** How one execution of a node ended. */
export interface Completion {
  node: RunNode;
  times: number;
  /** It belonged to one iteration of a loop. */
  isElement: boolean;
  /** Where it stood in the runs that this one was redriven from. */
  places?: Places | undefined;
  outcome: Outcome;
  /** An instruction node completes in two parts: what it handed over, and later the rest. */
  part: 'all' | 'handed_over' | 'rest';
}

/** The outputs and errors of a run, gathered while its nodes end. */
export class RunRecord {
  readonly #errors: { node: RunNode; times: number; line: string }[] = [];
  readonly #outputs = new Map<RunNode, Value[]>();

  add({ node, times, isElement, outcome }: Completion): void {
    if ('error' in outcome) {
      const place = times > 0 || isElement ? `#${times}` : '';
      this.#errors.push({ node, times, line: `${toMessage(node.title)} ${node.id}${place}: ${outcome.error}` });
      if (this.#errors.length > MAX_ERROR_LINES * 10) this.#keepFirstErrors();
    } else if (node.module?.isFlowOutput) {
      const value = outcome.outputs[flowOutputLabel(node)];
      const values = this.#outputs.get(node) ?? [];
      if (value !== undefined) values.push(value);
      this.#outputs.set(node, values);
    }
  }

  /** In the order of the nodes, not of time, so that the same run gives the same lines. */
  #keepFirstErrors(): void {
    this.#errors.sort((a, b) => a.node.index - b.node.index || a.times - b.times).splice(MAX_ERROR_LINES);
  }

  /** The result; `halt` when the run ended before it was done. */
  result(notRun: RunNode[], halt: Halt | undefined): RunResult {
    const output: ValueMap = Object.create(null);
    for (const [node, values] of this.#outputs) {
      const [first] = values;
      if (first !== undefined) output[flowOutputLabel(node)] = values.length > 1 ? { A: values } : first;
    }
    this.#keepFirstErrors();
    const lines = this.#errors.map(({ line }) => line);
    if (halt?.status === 'failed') lines.unshift(halt.message);
    return {
      status: halt?.status ?? (lines.length > 0 ? 'failed' : 'succeeded'),
      output: { M: output },
      errors: lines.length > 0 ? lines.slice(0, MAX_ERROR_LINES) : null,
      not_run: notRun.map(({ id }) => id),
    };
  }
}
