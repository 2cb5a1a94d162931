import { forward } from '../bench_rpc.ts';

/** A function that only forwards its request. It is the baseline for a start over HTTP. */
export default {
  fetch: async (request: Request): Promise<Response> => await forward('start', request, await request.text()),
};
