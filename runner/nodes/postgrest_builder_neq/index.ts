import { builderNode, builders } from '../../postgrest/builders.ts';
import definition from './definition.json' with { type: 'json' };

/** Keeps the rows whose column differs from a value. */
export const postgrestBuilderNeqNode = builderNode(definition, builders.neq);
