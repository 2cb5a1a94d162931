import type { FlowBuilder } from '../../support/flow_builder.ts';
import type { Attacker, Outcome } from './attacker.ts';

/** One kind of attack. */
export interface Attack {
  name: string;
  /** The number of concurrent strikes at the default pressure. */
  lanes: number;
  /** The most strikes in total; unlimited by default. */
  strikes?: number;
  /**
   * Prepares the attack. This happens before the soak measures the calm. Returns the function that makes one strike.
   */
  prepare: (attacker: Attacker) => Promise<() => Promise<Outcome>>;
}

/** Stores the flows. Each strike starts the next flow, in turn. */
export async function runInTurn(attacker: Attacker, flows: FlowBuilder[]): Promise<() => Promise<Outcome>> {
  const ids: number[] = [];
  for (const flow of flows) ids.push(await attacker.store(flow));
  let next = 0;
  return () => attacker.run(ids[next++ % ids.length]!);
}

/** Returns a function that sends one of these requests at each call, one after the other. */
export function inTurn(requests: (() => Promise<Outcome>)[]): () => Promise<Outcome> {
  let next = 0;
  return () => requests[next++ % requests.length]!();
}
