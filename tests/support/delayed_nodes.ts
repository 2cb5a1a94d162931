import type { NativeNodes, NodeCall } from '../../runner/engine/node.ts';

/**
 * Makes a sequence of numbers from 0 to below 1 from a seed: a linear congruential generator with the constants of
 * Knuth and Lewis.
 */
export function makeRandom(seed: number): () => number {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  // The first numbers of neighbouring seeds are close together, so skip them.
  for (let round = 0; round < 3; round++) next();
  return next;
}

/** Wraps the nodes so that each begins after a random number of microtasks, sometimes none. */
export function delayNodes(registry: NativeNodes, seed: number): NativeNodes {
  const random = makeRandom(seed);
  const delayed = <R>(work: (call: NodeCall) => R | Promise<R>) => (call: NodeCall): R | Promise<R> => {
    const turns = Math.floor(random() * 30) - 5;
    if (turns <= 0) return work(call);
    const pause = async () => {
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    };
    return pause().then(() => work(call));
  };
  return (nodeId) => {
    const module = registry(nodeId);
    if (module === undefined) return undefined;
    return 'buildInstructions' in module
      ? { ...module, buildInstructions: delayed(module.buildInstructions) }
      : { ...module, run: delayed(module.run) };
  };
}
