import type { ValueMap } from '../../../types/values/value.ts';
import type { AttemptTimeout } from './attempt_timeout.ts';
import type { Tree } from '../tree/tree.ts';
import type { RunNode } from '../graph/graph.ts';
import { waitForInput } from './input_wait.ts';
import type { NodeCall } from '../node.ts';
import type { CallSite, TreeRun } from '../tree/tree_run.ts';

/** The data of an execution that a call of its node needs. */
interface CalledExecution {
  /** The execution. If its node calls a flow, the execution is the caller. */
  caller: CallSite;
  inputs: ValueMap;
  /** Milliseconds since 1970. */
  startTime: number;
  /** True if an earlier claim stored a row of the execution. */
  isStored: boolean;
  /** True if an earlier claim began the attempt that is made now. */
  wasBegun: boolean;
  log: NodeCall['log'];
  /** Undefined if the attempt has no time limit. */
  timeout: AttemptTimeout | undefined;
}

/** Makes the argument of a node's call. It has the node's inputs, and the services that the node may use. */
export function makeNodeCall(tree: Tree, run: TreeRun, node: RunNode, called: CalledExecution): NodeCall {
  const { counters, lifecycle, services, sleepers, calls } = tree;
  const { caller, log, timeout } = called;
  const { execution } = caller;
  const checkSlice = services.slice.makeCheck(called.wasBegun);
  /** Returns `until`, or the end of the attempt's time if the attempt ends earlier. */
  const bounded = (until: number) => Math.min(until, timeout?.until ?? until);
  return {
    inputs: called.inputs,
    formData: node.formData,
    inputNames: node.inputNames,
    outputNames: node.outputNames,
    portTypes: node.portTypes,
    maxOutputBytes: counters.limits.outputBytes,
    run: { ...tree.run, id: run.id, environment: run.graph.environment },
    startTime: called.startTime,
    signal: lifecycle.cancelled,
    releasing: lifecycle.releasing,
    wallEnd: services.slice.wallEnd,
    timeoutMs: node.timeoutMs,
    log,
    checkTime: () => {
      timeout?.check();
      checkSlice();
    },
    isNamedByFlow: (inputName, publicKey) => services.settlement.isNamedByFlow(run, node, inputName, publicKey),
    callFlow: (flowId, flowInputs) => calls.call(caller, flowId, flowInputs),
    graphOfFlow: (flowId) => tree.flows.snapshot.flows[flowId],
    moduleOf: tree.flows.registry,
    runSteps: (plan) => calls.runSteps(caller, plan, called.inputs),
    collectInstructions: (flowId, flowInputs) => calls.collectInstructions(caller, flowId, flowInputs),
    http: services.http,
    project: services.project,
    openConnection: services.openConnection,
    models: services.models,
    scripts: services.scripts,
    kv: services.kv(execution),
    files: services.files,
    rest: (wait, until) =>
      until === undefined ? services.rest(wait) : sleepers.during(run, bounded(until), () => services.rest(wait)),
    askForInput: (input) => {
      // The wait for an answer ends with the attempt, because later answers would be dropped.
      const timeoutMs = Math.max(bounded(services.now() + input.timeoutMs) - services.now(), 1);
      return waitForInput(tree, { run, execution, isAsked: called.isStored, input: { ...input, timeoutMs }, log });
    },
  };
}
