import type { Value, ValueMap } from '../../../types/values/value.ts';
import type { EarlierPositions } from '../state/earlier_positions.ts';
import type { EdgeResults } from '../graph/edge_results.ts';
import type { RunNode } from '../graph/graph.ts';
import type { RunResult } from '../state/journal.ts';
import type { Halt } from '../node.ts';
import type { Outcome } from '../graph/outcome.ts';
import type { Lack } from './readiness.ts';
import { toMessage, toShorterMessage } from '../limits/text_limits.ts';
import { runLimits } from '../../../types/limits/runs.ts';

/** The most error lines that a run keeps. */
const MAX_ERROR_LINES = runLimits.error_lines.value;
/** The most characters of all error lines of a run together. */
const MAX_ERRORS_CHARACTERS = runLimits.errors_characters.value;

/** An error of a node. The label is the begin of the error's line. */
interface NodeError {
  node: RunNode;
  times: number;
  label: string;
  message: string;
}

/**
 * Formats error lines. All lines together have at most `characters` characters. Long messages are shortened to equal
 * lengths.
 */
function linesOf(errors: NodeError[], characters: number): string[] {
  const lines = errors.map(({ label, message }) => label + message);
  if (lines.reduce((sum, line) => sum + line.length, 0) <= characters) return lines;
  const share = Math.floor(characters / errors.length);
  return errors.map(({ label, message }, index) =>
    lines[index]!.length <= share ? lines[index]! : label + toShorterMessage(message, share - label.length)
  );
}

const flowOutputLabel = ({ inputNames: [label = ''] }: RunNode): string => label;

/** The end of one execution of a node. */
export interface Completion {
  node: RunNode;
  times: number;
  /** True if the execution belonged to one iteration of a loop. */
  isElement: boolean;
  /** The positions of the execution in the runs from which this run was redriven. */
  positions?: EarlierPositions | undefined;
  outcome: Outcome;
  /** The results of the expressions on the outgoing edges of the node. */
  results?: EdgeResults | undefined;
  /** The reason why the execution was skipped; undefined if it ran. */
  skipped?: Lack;
  /** An instruction node completes in two parts: first its handover, later the rest. */
  part: 'all' | 'handed_over' | 'rest';
}

/** The outputs and errors of a run, gathered while its nodes end. */
export class RunRecord {
  readonly #errors: NodeError[] = [];
  readonly #outputs = new Map<RunNode, Value[]>();

  add({ node, times, isElement, outcome }: Completion): void {
    if ('error' in outcome) {
      if (outcome.errorOutput !== undefined) return;
      const number = times > 0 || isElement ? `#${times}` : '';
      const label = `${toMessage(node.title)} ${node.id}${number}: `;
      this.#errors.push({ node, times, label, message: outcome.error });
      if (this.#errors.length > MAX_ERROR_LINES * 10) this.#keepFirstErrors();
    } else if (node.module?.isFlowOutput) {
      const value = outcome.outputs[flowOutputLabel(node)];
      const values = this.#outputs.get(node) ?? [];
      if (value !== undefined) values.push(value);
      this.#outputs.set(node, values);
    }
  }

  /**
   * Keeps the first errors. The order is that of the nodes and not that of time, so that the same run always has the
   * same lines.
   */
  #keepFirstErrors(): void {
    this.#errors.sort((a, b) => a.node.index - b.node.index || a.times - b.times).splice(MAX_ERROR_LINES);
  }

  /** Returns the result. `halt` is set if the run ended before it was done. */
  result(notRun: RunNode[], halt: Halt | undefined): RunResult {
    const output: ValueMap = Object.create(null);
    for (const [node, values] of this.#outputs) {
      const [first] = values;
      if (first !== undefined) output[flowOutputLabel(node)] = values.length > 1 ? { A: values } : first;
    }
    this.#keepFirstErrors();
    const own = halt?.status === 'failed' ? [halt.message] : [];
    const lines = [...own, ...linesOf(this.#errors, MAX_ERRORS_CHARACTERS - (own[0]?.length ?? 0))];
    return {
      status: halt?.status ?? (lines.length > 0 ? 'failed' : 'succeeded'),
      output: { M: output },
      errors: lines.length > 0 ? lines.slice(0, MAX_ERROR_LINES) : null,
      not_run: notRun.map(({ id }) => id),
    };
  }
}
