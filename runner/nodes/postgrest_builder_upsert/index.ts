import { builderNode, builders } from '../../postgrest/builders.ts';
import definition from './definition.json' with { type: 'json' };

/** Makes a query insert rows, or change rows whose primary key exists. */
export const postgrestBuilderUpsertNode = builderNode(definition, builders.upsert);
