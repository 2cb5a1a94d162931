import type { ComputeScript } from '../../runner/engine/node.ts';
import { prepare } from '../../runner/threads/evaluators.ts';

/** Computes scripts in the calling thread for as long as they take, so that a busy machine ends none of them. */
export const untimedScripts: ComputeScript = async (task) => ({
  lines: [],
  outputs: (await prepare(task))({ log: () => {}, onProgress: () => {} }),
});
