/**
 * The types of nodes without code of their own. `data.implementation` of the definition describes what such a node
 * does, and the adapter in `runner/described/<type>/` does it. sql/300_nodes/15_described_types.sql lists the same
 * types.
 */
export const DESCRIBED_TYPES = ['openapi', 'mcp', 'solana'] as const;
export type DescribedType = typeof DESCRIBED_TYPES[number];

export const isDescribedType = (type: string): type is DescribedType => DESCRIBED_TYPES.some((known) => known === type);
