import { Lifecycle } from './lifecycle.ts';

/**
 * The lifecycle of a part of a tree: one attempt with a timeout, and the flows that it calls. The part is halted when
 * the tree is halted, or earlier when the attempt's time is over. A release of the part releases the whole tree.
 */
export class PartLifecycle extends Lifecycle {
  readonly #whole: Lifecycle;
  readonly #removers: (() => void)[] = [];

  constructor(whole: Lifecycle, onHalt: () => void) {
    super(onHalt);
    this.#whole = whole;
    this.#follow(whole.halted, () => {
      if (whole.halt !== undefined) this.haltWith(whole.halt);
    });
    this.#follow(whole.releasing, () => super.release());
  }

  override release(): void {
    this.#whole.release();
  }

  /** Ends the part with its attempt, so that the part no longer follows the tree. */
  override end(): void {
    for (const remove of this.#removers) remove();
    super.end();
  }

  #follow(signal: AbortSignal, listener: () => void): void {
    if (signal.aborted) return listener();
    signal.addEventListener('abort', listener);
    this.#removers.push(() => signal.removeEventListener('abort', listener));
  }
}
