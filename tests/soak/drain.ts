import { setTimeout as pause } from 'node:timers/promises';
import type { Sql } from '../../dev/stack/postgres/postgres.ts';
import { queueChecks } from './audit_queue.ts';
import { webhookChecks } from './audit_webhooks.ts';
import type { SoakFacts } from './facts.ts';

const POLL_MS = 250;

/** Runs that remain after this time will not end. The auditor names them. */
const DRAIN_TIMEOUT_MS = 120_000;

/**
 * Waits until each run has ended or waits for a person or program outside, and all messages are posted. Returns the
 * milliseconds of this wait.
 */
export async function drain(sql: Sql, facts: SoakFacts): Promise<number> {
  const began = Date.now();
  // After a second refusal, a webhook would wait for five minutes, which is too long here. So make such webhooks due.
  // The workers post all other webhooks by themselves.
  const hurryWebhooks = () =>
    sql`
    update public.webhook_deliveries set next_attempt_at = clock_timestamp()
    where status = 'pending' and not is_held and next_attempt_at > clock_timestamp()`;
  const unended = queueChecks.find(({ name }) => name === 'run_neither_ended_nor_waiting')!;
  const untold = webhookChecks.find(({ name }) => name === 'webhook_not_delivered')!;
  for (const { find } of [unended, untold]) {
    while (Date.now() - began < DRAIN_TIMEOUT_MS && (await find(sql, facts)).length > 0) {
      await hurryWebhooks();
      await pause(POLL_MS);
    }
  }
  return Date.now() - began;
}
