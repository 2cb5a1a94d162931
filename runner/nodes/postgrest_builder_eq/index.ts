import { builderNode, builders } from '../../postgrest/builders.ts';
import definition from './definition.json' with { type: 'json' };

/** Keeps the rows whose column equals a value. */
export const postgrestBuilderEqNode = builderNode(definition, builders.eq);
