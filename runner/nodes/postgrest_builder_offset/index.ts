import { builderNode, builders } from '../../postgrest/builders.ts';
import definition from './definition.json' with { type: 'json' };

/** Leaves out the first rows of the result. */
export const postgrestBuilderOffsetNode = builderNode(definition, builders.offset);
