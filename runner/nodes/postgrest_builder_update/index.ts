import { builderNode, builders } from '../../postgrest/builders.ts';
import definition from './definition.json' with { type: 'json' };

/** Makes a query change rows. */
export const postgrestBuilderUpdateNode = builderNode(definition, builders.update);
