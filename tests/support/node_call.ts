import type { AnyModule, ModelMeter, NodeCall, NodeModule, RunInfo } from '../../runner/engine/node.ts';
import type { OwnerFiles } from '../../runner/engine/owner_files.ts';
import type { ValueMap } from '../../types/values/value.ts';

const notGiven = () => {
  throw new Error('this test gives the node no such service');
};

/** Makes the files of an owner, as an object whose methods are all this function. */
export const filesThat = (notGiven: () => never): OwnerFiles => ({
  upload: notGiven,
  download: notGiven,
  list: notGiven,
  remove: notGiven,
  signUrl: notGiven,
  publicUrl: notGiven,
  metadata: notGiven,
});

/** A meter that allows every call of a model and counts none. */
export const uncounted: ModelMeter = { begin: async () => {}, end: async () => {} };

/** The run of a node under test. */
export const testRun: RunInfo = {
  id: '01930000-0000-7000-8000-000000000001',
  ownerId: '00000000-0000-4000-8000-0000000000aa',
  startedBy: '00000000-0000-4000-8000-0000000000aa',
  network: { url: 'https://api.devnet.solana.com', cluster: 'devnet' },
  environment: {},
};

/** Makes the call of a node under test. The call has only inputs, unless more is given. */
export function makeNodeCall(module: AnyModule, given: Partial<NodeCall> = {}): NodeCall {
  return {
    inputs: {},
    formData: {},
    maxOutputBytes: 1_048_576,
    inputNames: module.definition.targets.map(({ name }) => name),
    outputNames: module.definition.sources.map(({ name }) => name),
    run: testRun,
    startTime: 0,
    signal: new AbortController().signal,
    releasing: new AbortController().signal,
    log: () => {},
    checkTime: () => {},
    isNamedByFlow: () => false,
    callFlow: notGiven,
    graphOfFlow: notGiven,
    moduleOf: notGiven,
    runSteps: notGiven,
    collectInstructions: notGiven,
    http: { request: notGiven },
    project: { restUrl: notGiven, serves: notGiven, request: notGiven, primaryKeyColumns: notGiven },
    openConnection: notGiven,
    models: uncounted,
    kv: { create: notGiven, delete: notGiven, read: notGiven, write: notGiven },
    files: filesThat(notGiven),
    rest: (wait) => wait(),
    askForInput: notGiven,
    ...given,
  };
}

/** Runs a node alone. */
export const runNode = async (module: NodeModule, inputs: ValueMap, given: Partial<NodeCall> = {}): Promise<ValueMap> =>
  await module.run(makeNodeCall(module, { inputs, ...given }));
