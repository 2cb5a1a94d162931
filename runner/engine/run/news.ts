/** Lets a run wait until one of its executions ends or the run must check its state. */
export class News {
  #tell = () => {};
  #isAwaited = false;

  /** True while the run waits and neither computes nor starts a node. */
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
