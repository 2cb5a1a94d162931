import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConnectionFault, type Faults, makeFaults } from './faults.ts';
import { type Ledger, makeLedger } from './ledger.ts';
import { makeFaucet } from './faucet.ts';
import { makeRpcHandler } from './rpc_handler.ts';
import { readBody } from '../request_body.ts';

/** A real network's slots. */
const SLOT_MS = 400;

/** What a request may have. Source: Agave, `MAX_REQUEST_BODY_SIZE`. */
const MAX_BODY_BYTES = 50 * 1024;

export interface ChainOptions {
  /** Any free one unless given. */
  port?: number;
  /** Milliseconds of a slot, 400 unless given; with 0, slots go by only when the clock is advanced. */
  slotMs?: number;
}

/** A Solana chain of its own, with real programs, behind the JSON-RPC of a node. */
export interface Chain {
  url: string;
  /** The chain's inside, for tests. */
  ledger: Ledger;
  /** What shall go wrong with calls to come. */
  faults: Faults;
  stop: () => Promise<void>;
}

/** Browsers may ask, as they may ask the public nodes. */
const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'POST, GET',
  'access-control-allow-headers': '*',
};

/** Starts a new chain on the loopback interface. Its state is gone when it stops. */
export async function startChain({ port = 0, slotMs = SLOT_MS }: ChainOptions = {}): Promise<Chain> {
  const ledger = makeLedger(slotMs);
  const faults = makeFaults();
  const answer = makeRpcHandler(ledger, await makeFaucet(ledger), faults);

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const send = (status: number, body: string, headers: { [name: string]: string } = {}) =>
      void response.writeHead(status, { ...corsHeaders, ...headers }).end(body);
    if (request.method === 'OPTIONS') return send(204, '');
    if (request.method === 'GET' && request.url === '/health') return send(200, 'ok');
    if (request.method !== 'POST') return send(405, 'Used HTTP Method is not allowed. POST or OPTIONS is required');
    if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
      return send(415, 'Supplied content type is not allowed. Content-Type: application/json is required');
    }
    const body = (await readBody(request, MAX_BODY_BYTES))?.toString();
    if (body === undefined) return send(413, 'Request body is too large');
    try {
      send(200, await answer(body), { 'content-type': 'application/json; charset=utf-8' });
    } catch (error) {
      if (!(error instanceof ConnectionFault) || error.answer === undefined) return void request.socket.destroy();
      send(error.answer.status, error.answer.body ?? '', error.answer.headers);
    }
  };

  const server = createServer((request, response) => void handle(request, response).catch(() => response.destroy()));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  // SAFETY: it listens on a port.
  const { port: actual } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${actual}`,
    ledger,
    faults,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
