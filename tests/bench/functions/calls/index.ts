import { forward, supabaseUrl } from '../bench_rpc.ts';

/** The run that is under way: one at a time. */
let ended: Promise<void>;
let end: () => void;

/** The calls of a run, and nothing else: it is started, a poke follows, a claim and a finish, and its output is read at once. */
export default {
  fetch: async (request: Request): Promise<Response> => {
    switch (new URL(request.url).pathname) {
      case '/calls/start': {
        ended = new Promise((resolve) => end = resolve);
        const answer = await forward('start', request, await request.text());
        const headers = { authorization: request.headers.get('authorization') ?? '' };
        void fetch(`${supabaseUrl}/functions/v1/calls/poke`, { method: 'POST', headers }).then((poke) => poke.text());
        return answer;
      }
      case '/calls/poke':
        void forward('nothing', request, '{}').then(() => forward('nothing', request, '{}')).then(() => end());
        return new Response('{}');
      default:
        await ended;
        return await forward('nothing', request, '{}');
    }
  },
};
