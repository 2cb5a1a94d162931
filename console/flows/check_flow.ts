import type { Db } from '../shared/api.tsx';
import { isObject } from '../shared/graph/drawn_node.ts';

type CheckArguments = Parameters<typeof callCheck>[1];

/**
 * The pause before a check is repeated that the database refused with `too_many_requests`. The limit counts the checks
 * of all windows of a user.
 */
const PAUSE_AFTER_REFUSAL_MS = 1_000;

const callCheck = (db: Db, body: { flow: object } | { flow_id: number }) =>
  // SAFETY: the flow is JSON, although its type `object` allows other objects.
  db.rpc('check_flow', body as never);

const codeOf = (error: unknown): unknown => isObject(error) ? error.code : undefined;

/** Calls `check_flow`, and repeats the call while it is refused with `too_many_requests`. */
export async function askDatabase(db: Db, body: CheckArguments): Promise<unknown> {
  for (;;) {
    const { data, error } = await callCheck(db, body);
    if (error === null) return data;
    if (codeOf(error) === 'body_too_large') return 'too large';
    if (codeOf(error) !== 'too_many_requests') throw error;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_AFTER_REFUSAL_MS));
  }
}

/** True if a stored flow may send its owner's data to other servers. */
export async function actsOnOwnerData(db: Db, flowId: number): Promise<boolean> {
  const checked = await askDatabase(db, { flow_id: flowId });
  const problems = isObject(checked) && Array.isArray(checked.problems) ? checked.problems : [];
  return problems.some((problem) => isObject(problem) && problem.code === 'acts_on_owner_data');
}
