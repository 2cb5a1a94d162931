import { forward } from '../bench_rpc.ts';

/** A function that only forwards: what a start over HTTP is measured against. */
export default {
  fetch: async (request: Request): Promise<Response> => await forward('start', request, await request.text()),
};
