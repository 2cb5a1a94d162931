import { base64urlnopad } from '@scure/base';

const MINUTE_MS = 60_000;
/** Two clicks within this time count as one order, even across the end of a minute. */
const CLICKS_MS = 30_000;
/**
 * The most requests that are remembered, for a minute each. If more come, the oldest are forgotten early. The key of a
 * forgotten request changes at the end of the minute, even between two clicks.
 */
const MAX_REMEMBERED = 1_000;

const minuteOf = (time: number): number => Math.floor(time / MINUTE_MS);

/**
 * Makes a function that derives the Idempotency-Key of a request. The key stays the same within a clock minute, and for
 * half a minute after this isolate first saw the request. For a caller without an account, the key is the only proof.
 * It is derived with a secret, so that nobody who reads the request in a log can compute it.
 */
export function makeRequestKey(secret: string, now: () => number) {
  const text = new TextEncoder();
  const key = crypto.subtle.importKey('raw', text.encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  /** The time at which each request was first seen; the earliest first. */
  const firstSeen = new Map<string, number>();

  /** Returns the time from which the key of a request is derived, for a request that comes now. */
  const timeOf = (request: string): number => {
    const time = now();
    for (const [earlier, seenAt] of firstSeen) {
      if (time - seenAt < MINUTE_MS && firstSeen.size < MAX_REMEMBERED) break;
      firstSeen.delete(earlier);
    }
    const seenAt = firstSeen.get(request);
    if (seenAt !== undefined && (time - seenAt < CLICKS_MS || minuteOf(seenAt) === minuteOf(time))) return seenAt;
    // Deleting first moves the key to the end: a Map keeps the position of an existing key.
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
