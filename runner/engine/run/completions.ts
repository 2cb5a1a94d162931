import type { EdgeResults } from '../graph/edge_results.ts';
import type { Lifecycle } from '../state/lifecycle.ts';
import type { News } from './news.ts';
import type { Completion } from './run_record.ts';

/** Evaluates the expressions on the outgoing edges of an execution. Returns undefined if no edge has an expression. */
type EvaluateEdges = (completion: Completion) => Promise<EdgeResults> | undefined;

/** The executions of a run that have ended and whose outputs have not yet reached the next nodes. */
export class Completions {
  readonly #evaluate: EvaluateEdges;
  readonly #lifecycle: Lifecycle;
  readonly #news: News;
  /**
   * Completions whose expressions are being evaluated. Each promise resolves when the evaluation for its completion
   * ends.
   */
  readonly #pending = new Map<Completion, Promise<void>>();
  #ready: Completion[] = [];
  /** True if an evaluation has stopped, because the run is released. */
  hasReleased = false;

  constructor(evaluate: EvaluateEdges, lifecycle: Lifecycle, news: News) {
    this.#evaluate = evaluate;
    this.#lifecycle = lifecycle;
    this.#news = news;
  }

  /** True if expressions are being evaluated. */
  get isEvaluating(): boolean {
    return this.#pending.size > 0;
  }

  /** True if at least one completion is ready. */
  get hasReady(): boolean {
    return this.#ready.length > 0;
  }

  /**
   * Adds a completion. The completion becomes ready when the expressions on the outgoing edges of its node have
   * results.
   */
  add(completion: Completion): void {
    // An instruction node completes in two parts. The second part becomes ready only after the first.
    const before = [...this.#pending].findLast(([{ node }]) => node === completion.node)?.[1];
    const results = before === undefined ? this.#evaluate(completion) : before.then(() => this.#evaluate(completion));
    if (results === undefined) this.#ready.push(completion);
    else this.#pending.set(completion, this.#follow(completion, results));
  }

  /** Takes the completions that are ready. */
  takeReady(): Completion[] {
    return this.#ready.splice(0);
  }

  /**
   * Makes all completions ready without waiting for the results of expressions. Called when the run ends, so that no
   * further node needs the results.
   */
  endEvaluating(): void {
    this.#ready.push(...this.#pending.keys());
    this.#pending.clear();
  }

  async #follow(completion: Completion, evaluated: Promise<EdgeResults | undefined>): Promise<void> {
    try {
      const results = await evaluated;
      if (this.#pending.delete(completion)) this.#ready.push({ ...completion, results });
    } catch {
      // The evaluation was released. The completion stays pending, and the next claim evaluates its expressions again.
      this.hasReleased = true;
      this.#lifecycle.release();
    }
    this.#news.tell();
  }
}
