import { readField } from '../../../types/values/conversion.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import type { NodeModule } from '../../engine/node.ts';
import { toQuery } from '../../postgrest/query.ts';
import { effectsOf, sendQuery } from '../../postgrest/send.ts';
import { readPairs } from '../../values/pairs.ts';
import definition from './definition.json' with { type: 'json' };

const query = (inputs: ValueMap) => readField(inputs, 'query', toQuery);

/** Sends a query to PostgREST. */
export const postgrestExecuteQueryNode: NodeModule = {
  definition,
  effectsByInput: { name: 'query', effectsOf: effectsOf(query) },
  run: async (call) => ({
    ...await sendQuery(query(call.inputs), readPairs(call.inputs, 'headers'), call),
  }),
};
