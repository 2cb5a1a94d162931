import { builderNode, builders } from '../../postgrest/builders.ts';
import definition from './definition.json' with { type: 'json' };

/** Keeps the rows whose column is null, true, false or unknown. */
export const postgrestBuilderIsNode = builderNode(definition, builders.is);
