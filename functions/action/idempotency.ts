import { base64urlnopad } from '@scure/base';

const MINUTE_MS = 60_000;

/**
 * Makes the Idempotency-Key of a request: the same within a minute. It is made with a secret, since such a key is all
 * that a caller without an account proves: nobody else may know beforehand which one a buyer's start will have.
 */
export function makeRequestKey(secret: string, now: () => number) {
  const text = new TextEncoder();
  const key = crypto.subtle.importKey('raw', text.encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return async (request: unknown): Promise<string> => {
    const minute = Math.floor(now() / MINUTE_MS);
    const signed = await crypto.subtle.sign(
      'HMAC',
      await key,
      text.encode(JSON.stringify(['action', minute, request])),
    );
    return base64urlnopad.encode(new Uint8Array(signed));
  };
}
