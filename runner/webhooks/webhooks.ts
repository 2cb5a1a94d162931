import { isPassing } from '../../platform/api_error.ts';
import type { Rpc } from '../../platform/database/rpc.ts';
import { pause } from '../../platform/pause.ts';
import { retried } from '../../platform/database/retried.ts';
import type { HttpClient } from '../engine/node.ts';
import { errorText, type WriteLog } from '../log_line.ts';
import type { RunnerSettings } from '../settings.ts';
import { postWebhook, type WebhookClaim } from './post_webhook.ts';

/** Posts the outgoing webhooks that are due in `webhook_deliveries`. Failures are logged and never thrown. */
export interface Webhooks {
  /** Posts until nothing is due or the slice is over, and waits for all answers. */
  postDue: () => Promise<void>;
  /**
   * Posts at intervals until the signal is aborted. After the abort, claims no more deliveries, and resolves when all
   * answers have come.
   */
  postUntil: (stop: AbortSignal) => Promise<void>;
}

export interface WebhooksDeps {
  rpc: Rpc;
  http: HttpClient;
  settings: Pick<
    RunnerSettings,
    | 'runnerMaxWebhooks'
    | 'slice'
    | 'webhookAnswerBytes'
    | 'webhookLeaseMarginMs'
    | 'webhookPollMs'
    | 'webhookRetryMs'
    | 'webhookTimeoutMs'
  >;
  log: WriteLog;
}

/** The longest pause between two looks while the outbox can't be read. */
const LONGEST_PAUSE_MS = 10_000;

const NEVER = new AbortController().signal;

export function makeWebhooks({ rpc, http, settings, log }: WebhooksDeps): Webhooks {
  const { webhookPollMs, webhookRetryMs } = settings;
  const leaseMs = settings.webhookTimeoutMs + webhookRetryMs + settings.webhookLeaseMarginMs;
  const underWay = new Set<Promise<void>>();
  let pauseMs = webhookPollMs;
  let lookedAt = -Infinity;
  let isWanted = false;
  let posting: Promise<void> | undefined;
  let wake = () => {};

  const logError = (error: unknown) => log('error', { event: 'webhooks_interrupted', error: errorText(error) });

  const postOne = async (claim: WebhookClaim): Promise<void> => {
    try {
      const outcome = await postWebhook(http, claim, settings.webhookAnswerBytes);
      const told = { id: claim.id, attempt: claim.attempt, ...outcome };
      await retried(webhookRetryMs, () => rpc('store_webhook_attempt', told));
    } catch (error) {
      // When the lease of the delivery has expired, the delivery is claimed again.
      logError(error);
    }
  };

  const begin = (claim: WebhookClaim): void => {
    const posted = postOne(claim).finally(() => {
      underWay.delete(posted);
      wake();
    });
    underWay.add(posted);
  };

  /**
   * Fills the free slots with due deliveries. Returns false if no delivery was due or the deliveries could not be read.
   */
  const fillSlots = async (): Promise<boolean> => {
    const free = settings.runnerMaxWebhooks - underWay.size;
    if (free === 0) return false;
    lookedAt = performance.now();
    try {
      const claims = await rpc<WebhookClaim[]>('claim_webhook_deliveries', {
        max_deliveries: free,
        lease_seconds: Math.ceil(leaseMs / 1_000),
      });
      claims.forEach(begin);
      pauseMs = webhookPollMs;
      return claims.length > 0;
    } catch (error) {
      // The worker's calls of the queue already log a short outage, so webhooks log only a lasting one.
      if (!isPassing(error) || pauseMs === LONGEST_PAUSE_MS) logError(error);
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
      return false;
    }
  };

  const post = async (stop: AbortSignal): Promise<void> => {
    const endsAt = performance.now() + settings.slice.wallMs;
    const isOver = () => stop.aborted || performance.now() > endsAt;
    for (;;) {
      isWanted = false;
      if (!isOver() && await fillSlots()) continue;
      if (underWay.size === 0) {
        if (isOver() || !isWanted) return;
        continue;
      }
      // An answer ends the pause, because it frees a slot of the webhook's owner.
      const isAnswered = new AbortController();
      wake = () => isAnswered.abort();
      await pause(pauseMs, isAnswered.signal);
    }
  };

  const postDue = (stop = NEVER): Promise<void> => {
    isWanted = true;
    return posting ??= post(stop).finally(() => posting = undefined);
  };

  return {
    postDue: () => postDue(),
    postUntil: async (stop) => {
      for (;;) {
        await pause(pauseMs, stop);
        if (stop.aborted) break;
        // Another request to the same Edge Function may have looked for due deliveries during the pause.
        if (performance.now() - lookedAt >= webhookPollMs / 2) await postDue(stop);
      }
      await posting;
    },
  };
}
