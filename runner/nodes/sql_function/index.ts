import { readOptionalField, toBoolean } from '../../../types/values/conversion.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import type { NodeModule } from '../../engine/node.ts';
import { queryOfFunction } from '../../postgrest/builders.ts';
import { effectsOf, sendQuery } from '../../postgrest/send.ts';
import definition from './definition.json' with { type: 'json' };

const readCall = (inputs: ValueMap) =>
  queryOfFunction(inputs, readOptionalField(inputs, 'safe_to_repeat', toBoolean) ?? false);

/** Calls a function of the project's database as the flow's owner. */
export const sqlFunctionNode: NodeModule = {
  definition,
  effectsByInput: { name: 'safe_to_repeat', effectsOf: effectsOf(readCall) },
  run: async (call) => {
    const { result } = await sendQuery(readCall(call.inputs), [], call);
    return { result };
  },
};
