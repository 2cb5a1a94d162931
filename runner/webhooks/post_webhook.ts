import { type HttpClient, NodeError } from '../engine/node.ts';

/** A claimed delivery: its target, its message, and the number of the attempt. */
export interface WebhookClaim {
  id: string;
  attempt: number;
  url: string;
  /** The headers of Standard Webhooks. The database signs them, so that the secret never leaves the database. */
  headers: { [name: string]: string };
  body: string;
}

/** The outcome of an attempt, in the form of `store_webhook_attempt`: an answer, or the reason for having no answer. */
interface WebhookOutcome {
  http_status?: number;
  response?: string;
  retry_after_seconds?: number | undefined;
  error?: string;
}

/** Reads the seconds of a Retry-After header, which holds a number or a date. Source: RFC 9110, section 10.2.3. */
export function retryAfterSeconds(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : Math.ceil((Date.parse(header) - nowMs) / 1_000);
  return seconds > 0 ? Math.min(seconds, 999_999_999) : undefined;
}

/** Decodes an answer as text that Postgres can store. */
const answerText = (body: Uint8Array): string => new TextDecoder().decode(body).replaceAll('\0', '\uFFFD');

/**
 * Posts an outgoing webhook once. A redirect counts as an answer like any other. Only the beginning of the answer's
 * body is read.
 */
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
