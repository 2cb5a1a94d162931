import type { IncomingMessage } from 'node:http';
import { type PartName, Refusal } from './answer.ts';
import type { Caller } from './caller.ts';
import { flowLimits } from '../../../types/limits/flows.ts';
import { nodeLimits } from '../../../types/limits/nodes.ts';
import { requestLimits } from '../../../types/limits/requests.ts';

/** The default limit of a body, in bytes. */
export const MAX_BODY_BYTES = requestLimits.body_bytes.value;

/**
 * The limit of a runner's body, in bytes. A runner stores results of runs, with up to 16 MiB each, and much other data.
 */
const MAX_RUNNER_BODY_BYTES = 32 * 1_048_576;

/** The limit of a request's body, in bytes. */
export interface BodyLimit {
  /** The bytes that any caller may send. */
  bytes: number;
  /** The bytes that an identified caller may send. */
  bytesFor: (caller: Caller) => number;
}

/**
 * The limit of a file, in bytes. A node of a flow can upload a file of this size, because the runner's setting
 * HTTP_MAX_RESPONSE_BYTES, which also limits the bodies of requests, has the same default.
 */
const MAX_FILE_BYTES = nodeLimits.storage_file_bytes.value;

const sameForAll: BodyLimit = { bytes: MAX_BODY_BYTES, bytesFor: () => MAX_BODY_BYTES };

const only = (kinds: Caller['kind'][], bytes: number): BodyLimit => ({
  bytes: MAX_BODY_BYTES,
  bytesFor: ({ kind }) => kinds.includes(kind) ? bytes : MAX_BODY_BYTES,
});

/** Returns the limit of a request's body, by the part and by the path within the part. */
export function bodyLimitOf(part: PartName, path: string): BodyLimit {
  if (part === 'storage') return only(['user', 'service'], MAX_FILE_BYTES);
  if (part !== 'rest') return sameForAll;
  if (path === '/flows') return only(['user', 'service'], flowLimits.flow_bytes.value);
  if (path === '/nodes') return only(['service'], flowLimits.flow_bytes.value);
  if (path.startsWith('/rpc/')) return only(['service'], MAX_RUNNER_BODY_BYTES);
  return sameForAll;
}

/** Makes the refusal of a body that is larger than its limit. */
export function bodyTooLarge(bytes: number, caller: Caller | undefined, limit: BodyLimit): Refusal {
  const bytesForUsers = limit.bytesFor({ kind: 'user', key: '' });
  return new Refusal(413, 'body_too_large', `The body is larger than ${bytes} bytes.`, {
    hint: caller?.kind === 'stranger' && bytesForUsers > bytes
      ? `With a valid access token or API key, a body may have ${bytesForUsers} bytes.`
      : null,
  });
}

/** Returns the length that the headers announce; undefined for a chunked body. */
export function announcedBytes({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}
