import type { RunNode } from '../graph/graph.ts';
import type { Halt } from '../node.ts';
import type { RunResult } from '../state/journal.ts';
import type { Completion } from './run_record.ts';

/** Chooses the executions of one run: by the edges of a graph, or by a plan of steps. */
export interface Course {
  /** The nodes that the run has so far. */
  readonly nodes: readonly RunNode[];
  readonly warnings: readonly string[];
  /** True if a halt ends executions at once that could use its grace, so that the run itself ends within the grace. */
  readonly endsAtOnce: boolean;
  /** Starts what is ready. Calls `mayGoOn` after each start, and starts nothing more if the result is false. */
  startReady: (mayGoOn: () => boolean | Promise<boolean>) => Promise<void>;
  /** Takes the ends of executions. */
  apply: (completions: readonly Completion[]) => void;
  /** True if this run has had all effects of the runs from which it was redriven. */
  hasAllEffects: () => boolean;
  /** Returns the result. `halt` is set if the run ended before it was done. */
  result: (halt: Halt | undefined) => RunResult;
}
