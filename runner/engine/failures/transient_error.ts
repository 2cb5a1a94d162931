import { NodeError, type Transience } from '../node.ts';

/** The error of a failed network or server. The same request may succeed a moment later. */
export class TransientError extends NodeError {
  constructor(message: string, transience: Transience = {}) {
    super(message);
    this.transience = transience;
  }
}
