import type { DescribedType } from '../../types/described/types.ts';
import type { FrozenDefinition, Snapshot } from '../../types/flow.ts';
import { type AnyModule, type NativeNodes, type NodeRegistry, onlyNative } from '../engine/node.ts';

/** Makes the module of a node from its frozen definition. An invalid definition gives a module that fails. */
type MakeModule = (definition: FrozenDefinition) => AnyModule;

/**
 * Loads the adapter of each type of described nodes. A type is one line here. The imports are dynamic, so a run loads
 * only the adapters of types that its snapshot has.
 */
const ADAPTERS: { readonly [type in DescribedType]: () => Promise<{ makeModule: MakeModule }> } = {
  openapi: () => import('./openapi/index.ts'),
  mcp: () => import('./mcp/index.ts'),
  solana: () => import('./solana/index.ts'),
};

/** Makes the registry for the nodes of a snapshot. Returns a promise only if the snapshot has described nodes. */
export function registryOf(natives: NativeNodes, { definitions }: Snapshot): Promise<NodeRegistry> | NodeRegistry {
  const native = onlyNative(natives);
  return definitions === undefined ? native : withDescribed(native, definitions);
}

async function withDescribed(
  native: NodeRegistry,
  definitions: { [hash: string]: FrozenDefinition },
): Promise<NodeRegistry> {
  const modules = new Map<string, AnyModule>();
  for (const [hash, definition] of Object.entries(definitions)) {
    const { makeModule } = await ADAPTERS[definition.type]();
    modules.set(hash, makeModule(definition));
  }
  return (data) => data.definition === undefined ? native(data) : modules.get(data.definition);
}
