interface DenoGlobal {
  Deno: { env: { get: (name: string) => string } };
}

// SAFETY: only Deno serves the functions, with the platform's environment.
const { env } = (globalThis as unknown as DenoGlobal).Deno;
const apikey = env.get('SUPABASE_ANON_KEY');

export const supabaseUrl = env.get('SUPABASE_URL');
const restUrl = env.get('REST_URL');

/** Calls a function of the schema `bench` as the caller, and answers with its result. */
export async function forward(name: string, request: Request, body: string): Promise<Response> {
  const authorization = request.headers.get('authorization') ?? '';
  const headers = { apikey, authorization, 'content-type': 'application/json', 'content-profile': 'bench' };
  const response = await fetch(`${restUrl}/rpc/${name}`, { method: 'POST', headers, body });
  return new Response(await response.text(), {
    status: response.status,
    headers: { 'content-type': 'application/json' },
  });
}
