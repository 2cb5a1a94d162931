import { forward, supabaseUrl } from '../bench_rpc.ts';

/** The run that is under way. There is only one at a time. */
let ended: Promise<void>;
let end: () => void;

/**
 * Makes the calls of a run and nothing else: a start, a call that wakes the runner, a claim, a finish, and a read of
 * the output. After `start-unclaimed`, the claim is a call of its own; after `start-claimed`, no call makes a claim.
 */
export default {
  fetch: async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    switch (pathname) {
      case '/calls/start-unclaimed':
      case '/calls/start-claimed': {
        ended = new Promise((resolve) => end = resolve);
        const answer = await forward('start', request, await request.text());
        const headers = { authorization: request.headers.get('authorization') ?? '' };
        const poked = pathname.replace('start', 'poke');
        void fetch(`${supabaseUrl}/functions/v1${poked}`, { method: 'POST', headers }).then((poke) => poke.text());
        return answer;
      }
      case '/calls/poke-unclaimed':
      case '/calls/poke-claimed': {
        const claimed = pathname.endsWith('-unclaimed') ? forward('nothing', request, '{}') : Promise.resolve();
        void claimed.then(() => forward('nothing', request, '{}')).then(() => end());
        return new Response('{}');
      }
      default:
        await ended;
        return await forward('nothing', request, '{}');
    }
  },
};
