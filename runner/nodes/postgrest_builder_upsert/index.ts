import { builderNode, builders } from '../../postgrest/builders.ts';
import definition from './definition.json' with { type: 'json' };

/** Makes a query insert rows or change those that are there. */
export const postgrestBuilderUpsertNode = builderNode(definition, builders.upsert);
