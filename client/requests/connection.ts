import { FlowError } from '../flow_error.ts';

/**
 * The part of a supabase-js client that this package uses: `from` returns the address, headers and fetch of its
 * requests.
 */
export interface SupabaseLike {
  from(relation: string): { url: URL; headers: unknown; fetch?: typeof fetch | undefined };
}

/** The address and credentials of a project, for programs without supabase-js. */
export interface ConnectionOptions {
  /** The project's address, such as `https://<ref>.supabase.co`. */
  url: string;
  /** The publishable key of the project. */
  key: string;
  /**
   * An API key (`fk_…`). The client acts as the user of the API key. Without an API key, the client is unauthenticated,
   * but can use the tokens of runs.
   */
  apiKey?: string | undefined;
  /** A replacement for the global `fetch`. */
  fetch?: typeof fetch | undefined;
}

/** The connection to a project: its address, the headers of every request, and the function that sends requests. */
export interface ProjectConnection {
  /** The project's address, without a slash at the end. */
  url: string;
  headers: [name: string, value: string][];
  fetch: typeof fetch;
}

const invalid = (message: string): FlowError => new FlowError({ code: 'client_invalid', message });

function connectDirectly({ url, key, apiKey, fetch: send = globalThis.fetch }: ConnectionOptions): ProjectConnection {
  const address = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined;
  if (address === undefined || !['http:', 'https:'].includes(address.protocol)) {
    throw invalid('`url` must be the address of a project, such as https://<ref>.supabase.co.');
  }
  if (address.username !== '' || address.password !== '') {
    throw invalid('`url` must be an address without user name and password.');
  }
  if (typeof key !== 'string' || key === '') throw invalid('`key` must be the publishable key of the project.');
  return {
    url: `${address.origin}${address.pathname}`.replace(/\/$/, ''),
    headers: [['apikey', key], ...(apiKey === undefined ? [] : [['x-api-key', apiKey] as [string, string]])],
    // The arrow function is needed because browsers refuse to call fetch as a method of another object.
    fetch: (input, init) => send(input, init),
  };
}

/** Returns the headers that supabase-js sends with every request, which include the global headers of the program. */
function headersOf(headers: unknown): [string, string][] {
  const all = headers instanceof Headers ? [...headers] : Object.entries((headers ?? {}) as Record<string, string>);
  // The profile headers are for PostgREST only. The other headers identify the caller and the program.
  return all.filter(([name]) => !/^(accept|content)-profile$/i.test(name));
}

function connectBySupabase(supabase: SupabaseLike): ProjectConnection {
  const { url, headers, fetch: send } = supabase.from('flow_run');
  const [base] = String(url).split('/rest/v1/');
  if (send === undefined || base === undefined) throw invalid('The client must be one of @supabase/supabase-js 2.');
  // `send` is the fetch of supabase-js. It adds the key and the session's access token, and renews the token.
  return { url: base, headers: headersOf(headers), fetch: (input, init) => send(input, init) };
}

/** Makes the connection of a supabase-js client, or of an address and key. Throws client_invalid. */
export function connect(source: SupabaseLike | ConnectionOptions): ProjectConnection {
  if (source !== null && typeof source === 'object') {
    if ('from' in source && typeof source.from === 'function') return connectBySupabase(source);
    if ('url' in source) return connectDirectly(source);
  }
  throw invalid('createFlowClient takes a client of supabase-js, or {url, key, apiKey}.');
}
