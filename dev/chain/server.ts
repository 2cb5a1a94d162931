import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { accountMethods } from './account_methods.ts';
import { blockMethods } from './block_methods.ts';
import { ConnectionFault, type Faults, makeFaults } from './faults.ts';
import { type Ledger, makeLedger } from './ledger.ts';
import { makeFaucet } from './faucet.ts';
import { makeRpcHandler } from './rpc_handler.ts';
import { transactionMethods } from './transaction_methods.ts';
import { makeWebSocketDoor } from './websocket_door.ts';
import { readBody } from '../stack/gateway/request_body.ts';
import { listenPastClients } from '../stack/ports.ts';

/** Duration of a slot on a real network. */
const SLOT_MS = 400;

/** The most bytes of a request. Source: Agave, `MAX_REQUEST_BODY_SIZE`. */
const MAX_BODY_BYTES = 50 * 1024;

export interface ChainOptions {
  /** The port of the RPC; subscriptions are served one port above. Default: any two free ports. */
  port?: number;
  /** Milliseconds of a slot, by default 400. If this is 0, slots pass only when the clock is advanced. */
  slotMs?: number;
}

/** A Solana chain of its own, with real programs, behind the JSON-RPC of a Solana RPC node. */
export interface Chain {
  url: string;
  /**
   * The address of subscriptions, on the port that clients derive from the RPC's port. `url` also serves subscriptions.
   */
  wsUrl: string;
  /** The chain's state, for tests. */
  ledger: Ledger;
  /** Makes future calls fail, for tests. */
  faults: Faults;
  stop: () => Promise<void>;
}

/** Lets browsers call the chain, as public RPC nodes do. */
const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'POST, GET',
  'access-control-allow-headers': '*',
};

async function listen(server: Server, port: number): Promise<number> {
  await listenPastClients(port, async () => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  });
  // SAFETY: a server that listens on a port has an address with a port.
  return (server.address() as AddressInfo).port;
}

/** Number of free ports to try, because the port above a free port may be taken. */
const MAX_PORT_TRIES = 20;

/**
 * Makes the first server listen on `port`, or on any free port if it is 0, and the second server on the port above.
 * Returns the first server's port.
 */
async function listenOnTwoPorts(first: Server, second: Server, port: number): Promise<number> {
  for (let tries = 1;; tries++) {
    const actual = await listen(first, port);
    try {
      await listen(second, actual + 1);
      return actual;
    } catch (error) {
      first.close();
      if (port !== 0 || tries === MAX_PORT_TRIES) throw error;
    }
  }
}

/** Starts a new chain on the loopback interface. Its state is lost when it stops. */
export async function startChain({ port = 0, slotMs = SLOT_MS }: ChainOptions = {}): Promise<Chain> {
  const ledger = makeLedger(slotMs);
  const faults = makeFaults();
  const methods = { ...accountMethods, ...blockMethods, ...transactionMethods, ...await makeFaucet(ledger) };
  const answer = makeRpcHandler(ledger, methods, faults);
  const door = makeWebSocketDoor(ledger, faults, slotMs, MAX_BODY_BYTES);

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

  const rpcServer = createServer((request, response) => void handle(request, response).catch(() => response.destroy()));
  const webSocketServer = createServer((_, response) => void response.writeHead(426, { upgrade: 'websocket' }).end());
  const servers = [rpcServer, webSocketServer];
  for (const server of servers) server.on('upgrade', door.upgrade);
  const actual = await listenOnTwoPorts(rpcServer, webSocketServer, port);
  return {
    url: `http://127.0.0.1:${actual}`,
    wsUrl: `ws://127.0.0.1:${actual + 1}`,
    ledger,
    faults,
    async stop() {
      door.stop();
      await Promise.all(servers.map((server) => {
        server.close();
        server.closeAllConnections();
        return once(server, 'close');
      }));
    },
  };
}
