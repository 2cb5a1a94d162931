import { builderNode, builders } from '../../postgrest/builders.ts';
import definition from './definition.json' with { type: 'json' };

/** Chooses the columns of the result. */
export const postgrestBuilderSelectNode = builderNode(definition, builders.select);
