import type { SnapshotNode } from '../../types/flow.ts';

/** How often a node is tried, and the pauses between its attempts. */
export interface RetryPolicy {
  /** The first attempt counts. */
  maxAttempts: number;
  /** The first pause. */
  delayMs: number;
  /** The factor between a pause and the next one. */
  backoff: number;
  /** No pause is longer, even if a server asks for a longer one. */
  maxDelayMs: number;
}

/** The part of a pause that is left to chance. */
const JITTER = 0.2;

/** The policy of a node, which the snapshot has with all its members; undefined for a node that is tried once. */
export function readRetryPolicy({ retry }: SnapshotNode['data']): RetryPolicy | undefined {
  return retry && {
    maxAttempts: Number(String(retry.max_attempts)),
    delayMs: Number(String(retry.delay_ms)),
    backoff: Number(String(retry.backoff)),
    maxDelayMs: Number(String(retry.max_delay_ms)),
  };
}

/**
 * Milliseconds between the attempt that failed and the next one. Up to a fifth less than planned, at random, so that
 * attempts which failed together are not repeated together. Never less than a server asks for, and never more than the
 * longest pause.
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
