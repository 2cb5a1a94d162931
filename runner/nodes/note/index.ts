import type { NodeModule } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/** A remark on the canvas. */
export const noteNode: NodeModule = { definition, run: () => ({}) };
