import { readField } from '../../../types/values/conversion.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import type { NodeModule } from '../../engine/node.ts';
import { toQuery } from '../../postgrest/query.ts';
import { readPages } from '../../postgrest/read_pages.ts';
import { effectsOf, sendQuery } from '../../postgrest/send.ts';
import { readPairs } from '../../values/pairs.ts';
import definition from './definition.json' with { type: 'json' };

const query = (inputs: ValueMap) => readField(inputs, 'query', toQuery);

/** Sends a query to PostgREST. Only reads are sent several times, because a repeated write would act twice. */
export const postgrestExecuteQueryNode: NodeModule = {
  definition,
  effectsByInput: { name: 'query', effectsOf: effectsOf(query) },
  run: async (call) => {
    const asked = query(call.inputs);
    const send = asked.method === 'GET' ? readPages : sendQuery;
    const { result, headers } = await send(asked, readPairs(call.inputs, 'headers'), call);
    return { result, headers };
  },
};
