import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeIdl } from '../../../client/describing/index.ts';
import type { DefinitionToStore } from '../../../client/flow_client.ts';
import type { FrozenDefinition } from '../../../types/flow.ts';
import type { LosslessJson } from '../../../types/values/value.ts';

/** An IDL of this folder, one for each form: `vault_anchor`, `shop_older_anchor`, `token_codama`. */
export const idlText = (name: string): string => readFileSync(join(import.meta.dirname, `${name}.json`), 'utf8');

/** Returns the definition as a deploy freezes it. */
export function freeze({ data, sources, targets }: DefinitionToStore): FrozenDefinition {
  return {
    type: 'solana',
    data: {
      node_id: data.node_id,
      version: data.version,
      effects: String(data.effects),
      implementation: data.implementation as LosslessJson,
    },
    sources: sources.map(({ name, type, optional }) => ({ name, type, ...(optional === true && { optional }) })),
    targets: targets.map(({ name, type_bounds, required, passthrough }) => ({
      name,
      type_bounds: [...type_bounds],
      required: required === true,
      passthrough: passthrough === true,
    })),
  };
}

/** Makes the frozen definition of one node of an IDL. */
export async function frozenNode(idl: string, nodeId: string): Promise<FrozenDefinition> {
  const { definitions } = await describeIdl(idlText(idl));
  return freeze(definitions.find(({ data }) => data.node_id === nodeId)!);
}
