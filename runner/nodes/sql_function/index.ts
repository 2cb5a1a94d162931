import { readOptionalField, toBoolean } from '../../../types/values/conversion.ts';
import type { NodeModule } from '../../engine/node.ts';
import { queryOfFunction } from '../../postgrest/builders.ts';
import { sendQuery } from '../../postgrest/send.ts';
import definition from './definition.json' with { type: 'json' };

/** Calls a function of the project's database as the flow's owner. */
export const sqlFunctionNode: NodeModule = {
  definition,
  effectsByInput: {
    name: 'safe_to_repeat',
    effectsOf: ({ safe_to_repeat: mark }) => mark !== undefined && 'B' in mark && mark.B ? 'idempotent' : 'once',
  },
  run: async (call) => {
    const isSafeToRepeat = readOptionalField(call.inputs, 'safe_to_repeat', toBoolean) ?? false;
    const { result } = await sendQuery(queryOfFunction(call, isSafeToRepeat), [], call);
    return { result };
  },
};
