import type { HttpClient } from '../engine/node.ts';
import { type HttpShare, makeHttpShare } from './http_share.ts';

/**
 * The pause before an owner's next request after a failure. The runner no longer reads the answer to the failed
 * request, but PostgREST may still be making it.
 */
const PAUSE_AFTER_FAILURE_MS = 2_000;

/**
 * Limits the concurrent requests of each owner; further requests wait. All runs of an owner in this process share the
 * limit. The limit protects the memory of PostgREST, which holds each answer as a whole until it is read.
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
