import { builderNode, builders } from '../../postgrest/builders.ts';
import definition from './definition.json' with { type: 'json' };

/** Keeps the rows for which a filter does not hold. */
export const postgrestBuilderNotNode = builderNode(definition, builders.not);
