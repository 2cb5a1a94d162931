import type { NodeModule } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/** Outputs the values of all iterations as one array. The engine gathers them. */
export const collectNode: NodeModule = {
  definition,
  handsOnKeysOf: 'element',
  collects: true,
  run: ({ inputs }) => ({ array: inputs.element ?? { A: [] } }),
};
