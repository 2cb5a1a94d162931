import type { NodeRegistry } from '../../functions/runner/engine/node.ts';

/** Numbers from 0 below 1, the same for the same seed: a linear congruential generator with the constants of Knuth and Lewis. */
function makeRandom(seed: number): () => number {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  // The first numbers of neighbouring seeds are neighbours.
  for (let round = 0; round < 3; round++) next();
  return next;
}

/** The same nodes, each of which takes a random number of turns to begin, none now and then. */
export function delayNodes(registry: NodeRegistry, seed: number): NodeRegistry {
  const random = makeRandom(seed);
  return (nodeId) => {
    const module = registry(nodeId);
    if (module === undefined || 'buildInstructions' in module) return module;
    return {
      ...module,
      run: (call) => {
        const turns = Math.floor(random() * 30) - 5;
        if (turns <= 0) return module.run(call);
        const pause = async () => {
          for (let turn = 0; turn < turns; turn++) await Promise.resolve();
        };
        return pause().then(() => module.run(call));
      },
    };
  };
}
