import { builderNode, builders } from '../../postgrest/builders.ts';
import definition from './definition.json' with { type: 'json' };

/** Limits the number of rows of the result. */
export const postgrestBuilderLimitNode = builderNode(definition, builders.limit);
