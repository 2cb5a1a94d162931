import type { Sql } from '../../dev/stack/postgres/postgres.ts';
import { attemptChecks } from './audit_attempts.ts';
import { eventChecks } from './audit_events.ts';
import { leftoverChecks } from './audit_leftovers.ts';
import { queueChecks } from './audit_queue.ts';
import { redriveChecks } from './audit_redrives.ts';
import { scheduleChecks } from './audit_schedules.ts';
import { startChecks } from './audit_starts.ts';
import { webhookChecks } from './audit_webhooks.ts';
import type { RowCheck, SoakFacts } from './facts.ts';
import type { Findings } from './findings.ts';

/** All rules on stored rows. */
export const rowChecks: readonly RowCheck[] = [
  ...startChecks,
  ...scheduleChecks,
  ...queueChecks,
  ...attemptChecks,
  ...redriveChecks,
  ...webhookChecks,
  ...eventChecks,
  ...leftoverChecks,
];

/** Checks all rules on stored rows, as superuser, after a sweep. */
export async function auditRows(sql: Sql, facts: SoakFacts, findings: Findings): Promise<void> {
  for (let hasMore = true; hasMore;) {
    const [swept] = await sql`select private.sweep_runner() as result`;
    hasMore = swept?.result.has_more;
  }
  for (const { name, find } of rowChecks) {
    for (const row of await find(sql, facts)) findings.add(name, row);
  }
}
