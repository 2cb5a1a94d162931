import { checkedFetch } from './checked_fetch.ts';
import { inject } from 'vitest';

export interface RestRequest {
  method?: string;
  /** The body, which is sent as JSON. A text is sent unchanged. */
  body?: unknown;
  /** The key of the project for the gateway. The default is the publishable key. */
  apikey?: string;
  token?: string | undefined;
  headers?: Record<string, string>;
}

interface RestAnswer {
  status: number;
  // SAFETY: the assertions of each test check its contents.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
}

/** Sends a request to PostgREST of the test stack, as a client without supabase-js does. */
export async function rest(path: string, request: RestRequest = {}): Promise<RestAnswer> {
  const { API_URL, PUBLISHABLE_KEY } = inject('stack');
  const { method = request.body === undefined ? 'GET' : 'POST', body, apikey = PUBLISHABLE_KEY, token, headers } =
    request;
  const response = await checkedFetch(`${API_URL}/rest/v1/${path}`, {
    method,
    headers: {
      apikey,
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}
