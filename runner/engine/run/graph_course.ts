import type { RunNode } from '../graph/graph.ts';
import type { Halt } from '../node.ts';
import type { RunResult } from '../state/journal.ts';
import type { Tree } from '../tree/tree.ts';
import type { TreeRun } from '../tree/tree_run.ts';
import type { Course } from './course.ts';
import { graphOfRun } from './graph_of_run.ts';
import { type FinishedNodes, readiness, reasonOfLack, spreadFinished } from './readiness.ts';
import { type Completion, RunRecord } from './run_record.ts';
import { RunSteps } from './run_steps.ts';
import type { BegunExecutions } from './under_way.ts';

/** The course of a run of a flow: a node starts when its edges have brought what it needs. */
export class GraphCourse implements Course {
  readonly nodes: readonly RunNode[];
  readonly warnings: readonly string[];
  readonly endsAtOnce = false;
  readonly #record = new RunRecord();
  readonly #begun: BegunExecutions;
  readonly #steps: RunSteps;
  readonly #finished: FinishedNodes = new Map();
  /** The nodes that may have become ready since the last start. */
  #candidates: readonly RunNode[];

  constructor(tree: Tree, run: TreeRun, begun: BegunExecutions) {
    const { graph, takeOver } = graphOfRun(tree, run);
    this.nodes = graph.nodes;
    this.warnings = graph.warnings;
    this.#begun = begun;
    this.#steps = new RunSteps(tree, run, this.#record, begun, takeOver);
    this.#candidates = graph.nodes;
  }

  async startReady(mayGoOn: () => boolean | Promise<boolean>): Promise<void> {
    for (const node of this.#candidates) {
      const state = readiness(node, this.#finished);
      if (state === 'no') continue;
      if (state === 'skip') this.#steps.skip(node, reasonOfLack(node, this.#finished));
      else if (node.feed !== undefined) this.#steps.feed(node);
      else this.#steps.start(node);
      const goesOn = mayGoOn();
      // Most starts need no pause, and an `await` would cost each of them a turn of the event loop.
      if (!(goesOn instanceof Promise ? await goesOn : goesOn)) return;
    }
  }

  /** Puts outputs into the queues of the next nodes. */
  apply(completions: readonly Completion[]): void {
    const touched = new Set(completions.flatMap((completion) => this.#steps.apply(completion)));
    // A node that waited for a value from a finished node may now start.
    for (const node of spreadFinished(touched, this.#finished)) {
      if (node.times === 0) this.#begun.parking.leaveOut(node, this.#finished.get(node)!);
      for (const { target } of node.outgoing) touched.add(target);
    }
    this.#candidates = [...touched].sort((a, b) => a.index - b.index);
  }

  hasAllEffects(): boolean {
    return this.#steps.hasAllEffects(this.nodes);
  }

  result(halt: Halt | undefined): RunResult {
    return this.#record.result(this.nodes.filter((node) => !node.hasStarted), halt);
  }
}
