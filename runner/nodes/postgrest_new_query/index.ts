import type { NodeModule } from '../../engine/node.ts';
import { queryOfTable } from '../../postgrest/builders.ts';
import { queryValue } from '../../postgrest/query.ts';
import definition from './definition.json' with { type: 'json' };

/** Begins a query of a table or view. */
export const postgrestNewQueryNode: NodeModule = {
  definition,
  run: ({ inputs }) => ({ query: queryValue(queryOfTable(inputs)) }),
};
