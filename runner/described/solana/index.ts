import { stringify } from 'lossless-json';
import { solanaImplementationSchema } from '../../../types/described/solana/implementation.ts';
import { TypeRefused } from '../../../types/described/solana/measure_types.ts';
import type { FrozenDefinition } from '../../../types/flow.ts';
import type { AnyModule } from '../../engine/node.ts';
import { definitionOf, invalidModule, schemaFault } from '../frozen.ts';
import { accountModule } from './account.ts';
import { instructionModule } from './instruction.ts';

/** Makes the module of an instruction, or of a type of accounts. The runner checks the implementation here. */
export function makeModule(frozen: FrozenDefinition): AnyModule {
  const definition = definitionOf(frozen);
  // The numbers of a stored implementation keep their digits as text. Those of the schema are small.
  const json: unknown = JSON.parse(stringify(frozen.data.implementation) ?? 'null');
  const { success, data, error } = solanaImplementationSchema.safeParse(json);
  if (!success) return invalidModule(definition, schemaFault(error));
  try {
    return data.kind === 'instruction' ? instructionModule(data, definition) : accountModule(data, definition);
  } catch (error) {
    if (!(error instanceof TypeRefused)) throw error;
    return invalidModule(definition, error.message);
  }
}
