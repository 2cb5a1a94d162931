import { NodeError } from './node.ts';

/** The network or a server beyond it failed: the same request may succeed a moment later. */
export class TransientError extends NodeError {}
