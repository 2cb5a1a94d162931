import {
  Client,
  type ClientOptions,
  type FetchLike,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { inject } from 'vitest';

/** The revisions of the protocol that the function `mcp` serves. */
export const ERAS = ['2026-07-28', '2025-11-25'] as const;
export type Era = typeof ERAS[number];

/** The address of the function `mcp`, or of a deployment below it. */
export const mcpUrl = (path = ''): URL => new URL(`${inject('stack').FUNCTIONS_URL}/mcp${path}`);

interface AssistantOptions extends ClientOptions {
  era?: Era;
  path?: string;
  headers: Record<string, string>;
  fetch?: FetchLike;
}

/** Connects the client of the protocol's package, as an assistant does. */
export async function connectAssistant(
  { era = '2026-07-28', path, headers, fetch, ...options }: AssistantOptions,
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, {
    ...options,
    versionNegotiation: { mode: era === '2025-11-25' ? 'legacy' : { pin: era } },
  });
  await client.connect(new StreamableHTTPClientTransport(mcpUrl(path), { requestInit: { headers }, fetch }));
  return client;
}

/** Sends one message of the revision 2025-11-25 as text. */
export const postMessage = (path: string, body: BodyInit, headers: Record<string, string>): Promise<Response> =>
  fetch(mcpUrl(path), {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body,
    // A body that is a stream needs this.
    duplex: 'half',
  } as RequestInit);

/** The text of a message. */
export const messageText = (method: string, params: object = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
