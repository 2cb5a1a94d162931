import { builderNode, builders } from '../../postgrest/builders.ts';
import definition from './definition.json' with { type: 'json' };

/** Orders the rows of the result. */
export const postgrestBuilderOrderNode = builderNode(definition, builders.order);
