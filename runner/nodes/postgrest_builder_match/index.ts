import { builderNode, builders } from '../../postgrest/builders.ts';
import definition from './definition.json' with { type: 'json' };

/** Keeps the rows whose columns equal the values of a map. */
export const postgrestBuilderMatchNode = builderNode(definition, builders.match);
