import type { SnapshotNode } from '../../../types/flow.ts';

/** The number of a node's attempts, and the pauses between them. */
export interface RetryPolicy {
  /** The most attempts, including the first. */
  maxAttempts: number;
  /** The first pause. */
  delayMs: number;
  /** The factor between a pause and the next one. */
  backoff: number;
  /** The longest pause. It applies even if a server asks for a longer one. */
  maxDelayMs: number;
}

/** The largest share of a pause that is subtracted at random. */
const JITTER = 0.2;

/**
 * Reads the policy of a node; undefined for a node that is tried only once. In a snapshot, the policy has all its
 * members.
 */
export function readRetryPolicy({ retry }: SnapshotNode['data']): RetryPolicy | undefined {
  return retry && {
    maxAttempts: Number(String(retry.max_attempts)),
    delayMs: Number(String(retry.delay_ms)),
    backoff: Number(String(retry.backoff)),
    maxDelayMs: Number(String(retry.max_delay_ms)),
  };
}

/**
 * Returns the milliseconds between a failed attempt and the next one. Up to a fifth of the pause is subtracted at
 * random, so that attempts that failed together are not repeated together. If a server asks for a longer pause, its
 * pause counts. No pause is longer than `maxDelayMs`.
 */
export function pauseAfter(
  { delayMs, backoff, maxDelayMs }: RetryPolicy,
  attempt: number,
  retryAfterMs = 0,
  random = Math.random,
): number {
  const planned = Math.min(delayMs * backoff ** (attempt - 1), maxDelayMs);
  const asked = Math.min(retryAfterMs, maxDelayMs);
  return Math.ceil(Math.max(planned * (1 - JITTER * random()), asked));
}
