import type { HttpClient } from '../engine/node.ts';
import { type HttpShare, makeHttpShare } from './http_share.ts';

/**
 * The pause before an owner's next request after a failure. In this time PostgREST may still be making the failed
 * request's answer, which the runner no longer reads.
 */
const PAUSE_AFTER_FAILURE_MS = 2_000;

/**
 * Limits the concurrent requests of each owner; further requests wait. All runs of an owner in this process share the
 * limit. The limit protects the project's REST API, because PostgREST holds each answer in memory as a whole, even if
 * the reader is slow.
 */
export function makeOwnerTurns(
  maxRequests: number,
  pauseMs = PAUSE_AFTER_FAILURE_MS,
): (ownerId: string, http: HttpClient) => HttpClient {
  const owners = new Map<string, { share: HttpShare; requests: number }>();

  return (ownerId, http) => ({
    request: async (request) => {
      const owner = owners.get(ownerId) ?? { share: makeHttpShare(maxRequests, []), requests: 0 };
      owners.set(ownerId, owner);
      owner.requests++;
      const leave = () => {
        owner.requests--;
        if (owner.requests === 0) owners.delete(ownerId);
      };
      const turn = await owner.share.begin(request.signal).catch((error) => {
        leave();
        throw error;
      });
      const release = () => {
        turn.release();
        leave();
      };
      try {
        const response = await http.request(request);
        release();
        return response;
      } catch (error) {
        setTimeout(release, pauseMs);
        throw error;
      }
    },
  });
}
