import { base64urlnopad } from '@scure/base';

const MINUTE_MS = 60_000;
/** Two clicks that are no further apart are one order, also where a minute ends between them. */
const CLICKS_MS = 30_000;
/** How many requests are remembered, a minute each. The oldest are forgotten first; for them the minute's end counts. */
const MAX_REMEMBERED = 1_000;

const minuteOf = (time: number): number => Math.floor(time / MINUTE_MS);

/**
 * Makes the Idempotency-Key of a request: the same within a minute, and within half a minute of the first such request
 * that this isolate has seen. It is made with a secret, since such a key is all that a caller without an account
 * proves: nobody who knows the request by a log may start with its key elsewhere.
 */
export function makeRequestKey(secret: string, now: () => number) {
  const text = new TextEncoder();
  const key = crypto.subtle.importKey('raw', text.encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  /** When each request was first seen; the earliest first. */
  const firstSeen = new Map<string, number>();

  /** The time by which a request that is seen now counts. */
  const timeOf = (request: string): number => {
    const time = now();
    for (const [earlier, seenAt] of firstSeen) {
      if (time - seenAt < MINUTE_MS && firstSeen.size < MAX_REMEMBERED) break;
      firstSeen.delete(earlier);
    }
    const seenAt = firstSeen.get(request);
    if (seenAt !== undefined && (time - seenAt < CLICKS_MS || minuteOf(seenAt) === minuteOf(time))) return seenAt;
    // Anew, since a key that is there keeps its place.
    firstSeen.delete(request);
    firstSeen.set(request, time);
    return time;
  };

  return async (request: unknown): Promise<string> => {
    const signed = await crypto.subtle.sign('HMAC', await key, text.encode(JSON.stringify(['action', request])));
    const name = base64urlnopad.encode(new Uint8Array(signed));
    return `${minuteOf(timeOf(name))}-${name}`;
  };
}
