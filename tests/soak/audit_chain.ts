import type { Sql } from '../../dev/stack/postgres/postgres.ts';
import type { SoakFacts } from './facts.ts';
import type { Findings } from './findings.ts';

/**
 * Compares the chain with the runs. The rules: each run has paid at most once; a succeeded run has paid; a failed run
 * has not paid, because its error says that nothing was paid.
 */
export async function auditChain(sql: Sql, facts: SoakFacts, findings: Findings): Promise<void> {
  const paying = facts.starts.filter(({ party }) => party !== null);
  const runs = await sql<{ mark: string; status: string }[]>`
    select r.inputs #>> '{M,mark,S}' as mark, r.status from public.flow_run as r
    where r.inputs #>> '{M,mark,S}' = any (${paying.map(({ mark }) => mark)}) and r.parent_flow_run_id is null`;
  const statusOf = new Map(runs.map(({ mark, status }) => [mark, status]));
  const timesPaid = new Map<string, number>();
  for (const { accounts, error } of facts.landed) {
    if (error !== null) continue;
    for (const account of new Set(accounts)) timesPaid.set(account, (timesPaid.get(account) ?? 0) + 1);
  }
  for (const { mark, party, flowKind } of paying) {
    // Do not count the transaction that gave the buyer money before the start.
    const paid = (timesPaid.get(party!) ?? 0) - (flowKind === 'sign' ? 1 : 0);
    const status = statusOf.get(mark) ?? 'no run';
    const detail = { mark, flowKind, status, paid };
    if (paid > 1) findings.add('paid_twice', detail);
    else if (paid === 0 && status === 'succeeded') findings.add('not_paid', detail);
    else if (paid === 1 && (status === 'failed' || status === 'no run')) findings.add('paid_unsaid', detail);
  }
}
