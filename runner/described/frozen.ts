import type { FrozenDefinition } from '../../types/flow.ts';
import { codedError } from '../../types/run_errors.ts';
import { NodeError, type NodeModule } from '../engine/node.ts';

/** Makes the definition that the engine needs. Only the definition of a tool has texts: those for the model. */
export const definitionOf = ({ type, data, sources, targets }: FrozenDefinition): NodeModule['definition'] => ({
  type,
  data: {
    node_id: data.node_id,
    version: data.version,
    display_name: data.node_id,
    description: data.description,
    effects: data.effects ?? 'once',
  },
  sources,
  targets,
});

/** Describes the first fault that a schema found in `data.implementation`. */
export function schemaFault(
  { issues }: { issues: readonly { path: readonly PropertyKey[]; message: string }[] },
): string {
  const { path = [], message = '' } = issues[0] ?? {};
  return `data.implementation${path.map((step) => `.${String(step)}`).join('')}: ${message}`;
}

/** Makes the module of an invalid definition. It fails when it runs. */
export const invalidModule = (definition: NodeModule['definition'], fault: string): NodeModule => ({
  definition,
  run: () => {
    throw new NodeError(codedError('definition_invalid', fault));
  },
});
