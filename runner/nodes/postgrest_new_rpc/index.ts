import type { NodeModule } from '../../engine/node.ts';
import { isMarkedSafe, queryOfFunction } from '../../postgrest/builders.ts';
import { queryValue } from '../../postgrest/query.ts';
import definition from './definition.json' with { type: 'json' };

/** Begins a query that calls a function. */
export const postgrestNewRpcNode: NodeModule = {
  definition,
  run: (call) => ({ query: queryValue(queryOfFunction(call, isMarkedSafe(call.formData))) }),
};
