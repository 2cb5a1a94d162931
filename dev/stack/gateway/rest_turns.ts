import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { makeBodyTurns } from './body_turns.ts';
import type { Caller, Callers } from './caller.ts';
import type { Target } from './forward.ts';
import { refusePatternFilters } from './pattern_filters.ts';
import { makeReadTurns } from './read_turns.ts';

const READS = ['GET', 'HEAD'];

/** Makes the turns of the functions' PostgREST. Its queries are the project's own, so only bodies take turns. */
export function makeInnerTurns(callers: Callers): Target['inTurn'] {
  const bodies = makeBodyTurns();
  return (request, bodyBytes, work) => bodyBytes > 0 ? bodies.take(callers.known(request), bodyBytes, work) : work();
}

/** A function that waits without work. */
const WAITING_CALL = '/rpc/await_flow_run_result';

/**
 * Identifies the caller of a read. A node of a run has only a claim token, which the gateway can't verify. Each such token
 * gets turns of its own, because PostgREST refuses an invented one before it reads anything.
 */
async function readerOf(request: IncomingMessage, callers: Callers): Promise<Caller> {
  const token = request.headers['x-flow-claim-token'];
  if (typeof token !== 'string') return await callers.verified(request);
  return { kind: 'stranger', key: `claim ${createHash('sha256').update(token).digest('base64url')}` };
}

/**
 * Makes the turns of the PostgREST that serves /rest/v1. Bodies and reads of tables take turns, and so do all requests
 * of callers who read much. With the secret key, only bodies take turns.
 */
export function makePublicTurns(callers: Callers): Target['inTurn'] {
  const inInnerTurn = makeInnerTurns(callers)!;
  const reads = makeReadTurns();
  return async (request: IncomingMessage, bodyBytes, work) => {
    const url = request.url ?? '';
    const [path = ''] = url.split('?', 1);
    const isService = callers.known(request).kind === 'service';
    if (!isService) refusePatternFilters(url.slice(path.length + 1));
    const inner = () => inInnerTurn(request, bodyBytes, work);
    if (isService || path === WAITING_CALL) return await inner();
    const kind = READS.includes(request.method ?? '') && !path.startsWith('/rpc/') ? 'read' : 'call';
    return await reads.take(await readerOf(request, callers), kind, inner);
  };
}
