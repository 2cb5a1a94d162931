import { describe, expect, it, vi } from 'vitest';
import { apiError } from '../../platform/api_error.ts';
import type { Rpc } from '../../platform/database/rpc.ts';
import { type HttpResponse, NodeError } from '../engine/node.ts';
import { UNLIMITED } from '../engine/state/slice.ts';
import type { WriteLog } from '../log_line.ts';
import type { WebhookClaim } from './post_webhook.ts';
import { makeWebhooks, type WebhooksDeps } from './webhooks.ts';

const SETTINGS: WebhooksDeps['settings'] = {
  runnerMaxWebhooks: 2,
  slice: UNLIMITED,
  webhookAnswerBytes: 4_096,
  webhookLeaseMarginMs: 15_000,
  webhookPollMs: 5,
  webhookRetryMs: 1_000,
  webhookTimeoutMs: 15_000,
};

const OK: HttpResponse = { status: 200, headers: {}, body: new Uint8Array(0) };

const claimOf = (id: string): WebhookClaim => ({
  id,
  attempt: 1,
  url: `http://${id}.example/`,
  headers: {},
  body: '{}',
});

/** Makes webhooks over an outbox with these deliveries, and records the stored outcomes. */
function setUp(ids: string[], answer: (url: string) => Promise<HttpResponse>, change: Partial<WebhooksDeps> = {}) {
  const due = ids.map(claimOf);
  const told: object[] = [];
  const asked: number[] = [];
  const log = vi.fn<WriteLog>();
  const rpc = (async (name: string, args: { max_deliveries: number }) => {
    if (name === 'store_webhook_attempt') return void told.push(args);
    asked.push(args.max_deliveries);
    return due.splice(0, args.max_deliveries);
  }) as unknown as Rpc;
  const http = { request: ({ url }: { url: string }) => answer(url) };
  return { webhooks: makeWebhooks({ rpc, http, settings: SETTINGS, log, ...change }), told, asked, log };
}

describe('webhooks', () => {
  it('posts all due deliveries, a limited number at a time, and stores each outcome', async () => {
    let underWay = 0;
    const { webhooks, told, asked } = setUp(['a', 'b', 'c', 'd', 'e'], async (url) => {
      expect(++underWay).toBeLessThanOrEqual(2);
      await new Promise((resolve) => setTimeout(resolve, 5));
      underWay--;
      if (url.includes('b.')) throw new NodeError('no');
      return OK;
    });
    await webhooks.postDue();
    expect(told).toHaveLength(5);
    expect(told).toContainEqual({ id: 'b', attempt: 1, error: 'no' });
    expect(told).toContainEqual({
      id: 'a',
      attempt: 1,
      http_status: 200,
      response: '',
      retry_after_seconds: undefined,
    });
    expect(Math.max(...asked)).toBe(2);
  });

  it('claims more deliveries while one is unanswered', async () => {
    let end = () => {};
    const { webhooks, told } = setUp(['a', 'b', 'c', 'd'], async (url) => {
      if (url.includes('a.')) await new Promise<void>((resolve) => end = resolve);
      return OK;
    });
    const posted = webhooks.postDue();
    await vi.waitFor(() => expect(told).toHaveLength(3));
    end();
    await posted;
    expect(told).toHaveLength(4);
  });

  it('claims nothing after a stop, and waits for the deliveries under way', async () => {
    const stop = new AbortController();
    const { webhooks, told, asked } = setUp(['a', 'b', 'c'], async () => {
      stop.abort();
      await new Promise((resolve) => setTimeout(resolve, 20));
      return OK;
    });
    await webhooks.postUntil(stop.signal);
    expect([told.length, asked]).toEqual([2, [2]]);
  });

  it('claims nothing after the end of the slice', async () => {
    const settings = { ...SETTINGS, slice: { wallMs: 30, busyMs: Infinity } };
    const ids = Array.from({ length: 1_000 }, (_, n) => String(n));
    const { webhooks, told } = setUp(ids, async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return OK;
    }, { settings });
    await webhooks.postDue();
    expect(told.length).toBeLessThan(1_000);
  });

  it('logs only a lasting outage', async () => {
    let calls = 0;
    const rpc = (() => {
      calls++;
      return Promise.reject(apiError('service_unavailable', 'away'));
    }) as unknown as Rpc;
    const { webhooks, log } = setUp([], () => Promise.resolve(OK), { rpc });
    for (let looks = 0; looks < 5; looks++) await webhooks.postDue();
    expect(log.mock.calls).toEqual([]);
    while (log.mock.calls.length === 0 && calls < 100) await webhooks.postDue();
    expect(log.mock.calls.map(([level, { event }]) => [level, event])).toEqual([['error', 'webhooks_interrupted']]);
  });

  it('logs failed reads and writes, and continues', async () => {
    let calls = 0;
    const rpc = (async (name: string) => {
      calls++;
      if (calls === 1) throw apiError('internal', 'unreadable');
      if (name === 'store_webhook_attempt') throw apiError('internal', 'broken');
      return calls === 2 ? [claimOf('a')] : [];
    }) as unknown as Rpc;
    const { webhooks, log } = setUp([], () => Promise.resolve(OK), { rpc });
    const stop = new AbortController();
    const posted = webhooks.postUntil(stop.signal);
    await vi.waitFor(() => expect(calls).toBeGreaterThan(4));
    stop.abort();
    await posted;
    expect(log.mock.calls.map(([level, { event }]) => [level, event])).toEqual([
      ['error', 'webhooks_interrupted'],
      ['error', 'webhooks_interrupted'],
    ]);
  });
});
