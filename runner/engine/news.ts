/** Lets a run wait until one of its executions has ended, or until it has to look at its state. */
export class News {
  #tell = () => {};
  #isAwaited = false;

  /** True while the run waits: it computes nothing, and starts nothing. */
  get isAwaited(): boolean {
    return this.#isAwaited;
  }

  /** Resolves at the next call of `tell`. */
  next(): Promise<void> {
    this.#isAwaited = true;
    return new Promise((resolve) =>
      this.#tell = () => {
        this.#isAwaited = false;
        resolve();
      }
    );
  }

  tell(): void {
    this.#tell();
  }
}
