import { builderNode, builders } from '../../postgrest/builders.ts';
import definition from './definition.json' with { type: 'json' };

/** Makes a query insert rows. */
export const postgrestBuilderInsertNode = builderNode(definition, builders.insert);
