import type { ValueMap } from '../../../types/values/value.ts';
import type { RunNode } from '../graph/graph.ts';
import { type Failure, type Outcome, toError } from '../graph/outcome.ts';
import { measureMap } from '../limits/value_size.ts';
import { type HeldLog, holdLog, logLine } from '../log/run_log.ts';
import { type Effect, type LogLevel, Released } from '../node.ts';
import type { Again } from '../tree/settlement.ts';
import type { Tree } from '../tree/tree.ts';
import type { CallSite, TreeRun } from '../tree/tree_run.ts';
import { Attempts } from './attempts.ts';
import { gathersTooMuch, type Given, hasOutsideEffects, NodeCaller } from './call_node.ts';
import { emptyInputsHint } from './empty_inputs.ts';
import { handleFailure } from './error_output.ts';
import type { Execution, KnownExecution } from './execution.ts';
import { ExecutionRecord } from './reported_row.ts';

/** An execution whose node is called, because no earlier claim has ended it and no redrive takes it over. */
export class AttemptedExecution {
  readonly #tree: Tree;
  readonly #run: TreeRun;
  readonly #node: RunNode;
  readonly #inputs: ValueMap;
  readonly #caller: CallSite;
  readonly #record: ExecutionRecord;
  readonly #log: HeldLog;
  readonly #nodeCaller: NodeCaller;
  /** Undefined if the node is tried only once. */
  readonly #attempts: Attempts | undefined;

  constructor(
    tree: Tree,
    run: TreeRun,
    node: RunNode,
    times: number,
    inputs: ValueMap,
    { stored, calledRuns }: KnownExecution,
    fault: string | undefined,
  ) {
    this.#tree = tree;
    this.#run = run;
    this.#node = node;
    this.#inputs = inputs;
    const inputBytes = measureMap(inputs);
    const execution: Effect = { flow_run_id: run.id, node_id: node.id, times };
    this.#caller = { execution, node, run, lifecycle: tree.lifecycle, earlierRuns: calledRuns };
    tree.counters.countBytes(inputBytes);
    this.#record = new ExecutionRecord(tree, execution, gathersTooMuch(tree, node, inputBytes) ? {} : inputs, stored);
    const log = (level: LogLevel, content: string) => logLine(tree, run, level, content, { node, times });
    this.#log = holdLog(log, tree, run);
    const attempts = node.retry && new Attempts(tree, run, this.#record.row, node.retry, log);
    this.#attempts = attempts;
    this.#nodeCaller = new NodeCaller(tree, run, node, {
      inputs,
      inputBytes,
      fault,
      caller: this.#caller,
      record: this.#record,
      log: this.#log.write,
      mayBeTriedAgain: () => attempts !== undefined && !attempts.isLast,
    });
  }

  begin(): Execution {
    const { lifecycle } = this.#tree;
    const ends = {
      record: (outcome: Outcome) => this.#end(outcome),
      handle: (failure: Failure) => handleFailure(this.#node, lifecycle, this.#record.row.attempt, failure),
    };
    try {
      const outcome = this.#firstAttempt();
      this.#log.open();
      const again = this.#again();
      if (!(outcome instanceof Promise)) return { outcome, ...ends, again };
      if (!hasOutsideEffects(this.#node, this.#inputs)) this.#record.reportBegin();
      return { outcome: outcome.catch((error) => this.#failed(error)), ...ends, again };
    } catch (error) {
      if (error instanceof Released) {
        this.#record.reportBegin();
        return { outcome: Promise.reject(error), ...ends };
      }
      this.#log.open();
      return { outcome: this.#failed(error), ...ends };
    }
  }

  #firstAttempt(): Given | Promise<Given> {
    const { retryAt } = this.#record;
    return retryAt !== null && this.#attempts !== undefined
      ? this.#attempts.resume(retryAt).then(() => this.#attempt())
      : this.#attempt();
  }

  /** Makes an attempt. If it fails, makes the further attempts that the flow allows. */
  #attempt(): Given | Promise<Given> {
    if (this.#attempts === undefined) return this.#nodeCaller.attempt();
    const followFailure = (error: unknown) => this.#followFailure(error);
    try {
      const given = this.#nodeCaller.attempt();
      return given instanceof Promise ? given.catch(followFailure) : given;
    } catch (error) {
      return followFailure(error);
    }
  }

  #followFailure(error: unknown): Promise<Given> {
    if (!this.#attempts?.mayFollow(error)) throw error;
    return this.#attempts.next(error).then(() => this.#attempt());
  }

  #again(): Again | undefined {
    const attempts = this.#attempts;
    return attempts && {
      isPossible: () => !attempts.isLast,
      after: (failure) => attempts.next(failure).then(() => this.#attempt()).catch((error) => this.#failed(error)),
    };
  }

  #failed(error: unknown): Given {
    if (error instanceof Released) throw error;
    const hint = emptyInputsHint(this.#run, this.#node, this.#inputs, error);
    return { ...toError(error, hint), handedOver: this.#record.handedOver };
  }

  #end(outcome: Outcome): void {
    this.#caller.atEnd?.();
    if ('error' in outcome) this.#attempts?.logFailure(outcome.error);
    this.#record.end(outcome);
  }
}
