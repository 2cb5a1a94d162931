import { NodeError, type Transience } from './node.ts';

/** The network or a server beyond it failed: the same request may succeed a moment later. */
export class TransientError extends NodeError {
  constructor(message: string, transience: Transience = {}) {
    super(message);
    this.transience = transience;
  }
}
