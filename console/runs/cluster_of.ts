import type { RunRow } from 'flow-deployments-client';
import { objectAt } from '../shared/graph/drawn_node.ts';

/** Returns the name of the Solana network of a run. */
export const clusterOf = ({ chain_network }: RunRow): string => String(objectAt(chain_network).cluster ?? '');
