import { type HttpClient, NodeError } from '../engine/node.ts';

/** A delivery that is claimed: what to post where, and the number of the attempt. */
export interface WebhookClaim {
  id: string;
  attempt: number;
  url: string;
  /** Those of Standard Webhooks, signed by the database: the secret does not leave it. */
  headers: { [name: string]: string };
  body: string;
}

/** What came of an attempt, as `store_webhook_attempt` takes it: an answer, or why there was none. */
export interface WebhookOutcome {
  http_status?: number;
  response?: string;
  retry_after_seconds?: number | undefined;
  error?: string;
}

/** Seconds that an answer asks to wait for, by a number or a date. Source: RFC 9110, section 10.2.3. */
export function retryAfterSeconds(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : Math.ceil((Date.parse(header) - nowMs) / 1_000);
  return seconds > 0 ? Math.min(seconds, 999_999_999) : undefined;
}

/** The text of an answer as Postgres can store it. */
const answerText = (body: Uint8Array): string => new TextDecoder().decode(body).replaceAll('\0', '\uFFFD');

/** Posts an outgoing webhook once. A redirect is an answer like any other; of the answer's body, the beginning is enough. */
export async function postWebhook(
  http: HttpClient,
  { url, headers, body }: WebhookClaim,
  maxResponseBytes: number,
): Promise<WebhookOutcome> {
  try {
    const answer = await http.request({
      method: 'POST',
      url,
      headers: [['content-type', 'application/json'], ...Object.entries(headers)],
      body: new TextEncoder().encode(body),
      maxResponseBytes,
      takesPartOfBody: true,
      refusesRedirects: true,
      signal: new AbortController().signal,
    });
    return {
      http_status: answer.status,
      response: answerText(answer.body),
      retry_after_seconds: retryAfterSeconds(answer.headers['retry-after'], Date.now()),
    };
  } catch (error) {
    if (error instanceof NodeError) return { error: error.message };
    throw error;
  }
}
