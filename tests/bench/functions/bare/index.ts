interface DenoGlobal {
  Deno: { env: { get: (name: string) => string } };
}

// SAFETY: Deno alone serves it, with the platform's environment.
const { env } = (globalThis as unknown as DenoGlobal).Deno;
const url = `${env.get('SUPABASE_URL')}/rest/v1/rpc/start`;
const apikey = env.get('SUPABASE_ANON_KEY');

/** A function that only forwards: what a start over HTTP is measured against. */
export default {
  fetch: async (request: Request): Promise<Response> => {
    const authorization = request.headers.get('authorization') ?? '';
    const headers = { apikey, authorization, 'content-type': 'application/json', 'content-profile': 'bench' };
    const response = await fetch(url, { method: 'POST', headers, body: await request.text() });
    return new Response(await response.text(), {
      status: response.status,
      headers: { 'content-type': 'application/json' },
    });
  },
};
