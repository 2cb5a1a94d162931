import type { IncomingMessage } from 'node:http';
import { MAX_FLOW_BYTES } from '../../../types/flow.ts';
import { type PartName, Refusal } from './answer.ts';
import type { Caller } from './caller.ts';

/** Bytes that a body may have, unless path and caller together allow more. */
export const MAX_BODY_BYTES = 1_048_576;

/**
 * Bytes that a body of a runner may have: it stores results of runs, which have 16 MiB at most, and much else beside
 * them.
 */
const MAX_RUNNER_BODY_BYTES = 32 * 1_048_576;

/** How many bytes a request's body may have. */
export interface BodyLimit {
  /** Bytes that any caller may send. */
  bytes: number;
  /** Bytes that a caller may send, once it is known who calls. */
  bytesFor: (caller: Caller) => number;
}

const sameForAll: BodyLimit = { bytes: MAX_BODY_BYTES, bytesFor: () => MAX_BODY_BYTES };

const only = (kinds: Caller['kind'][], bytes: number): BodyLimit => ({
  bytes: MAX_BODY_BYTES,
  bytesFor: ({ kind }) => kinds.includes(kind) ? bytes : MAX_BODY_BYTES,
});

/** The limit of a request's body, by the part and by the path within the part. */
export function bodyLimitOf(part: PartName, path: string): BodyLimit {
  if (part !== 'rest') return sameForAll;
  if (path === '/flows') return only(['user', 'service'], MAX_FLOW_BYTES);
  if (path === '/nodes') return only(['service'], MAX_FLOW_BYTES);
  if (path.startsWith('/rpc/')) return only(['service'], MAX_RUNNER_BODY_BYTES);
  return sameForAll;
}

/** The refusal of a body that is larger than its limit; reading it ends with this. */
export function bodyTooLarge(bytes: number, caller: Caller | undefined, limit: BodyLimit): Refusal {
  const bytesForUsers = limit.bytesFor({ kind: 'user', key: '' });
  return new Refusal(413, 'body_too_large', `The body is larger than ${bytes} bytes.`, {
    hint: caller?.kind === 'stranger' && bytesForUsers > bytes
      ? `With a valid access token or API key it may have ${bytesForUsers} bytes.`
      : null,
  });
}

/** Bytes that the headers announce; undefined for a body in chunks. */
export function announcedBytes({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}
