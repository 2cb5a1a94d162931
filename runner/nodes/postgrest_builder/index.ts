import type { NodeModule } from '../../engine/node.ts';
import { builderNode } from '../../postgrest/builders.ts';
import { definitionOfBuilder } from './definitions.ts';

/** The nodes that each add one thing to a query. Their examples and notes are in folders with their ids. */
export const postgrestBuilderNodes: NodeModule[] = definitionOfBuilder.map((builder) => builderNode(...builder));
