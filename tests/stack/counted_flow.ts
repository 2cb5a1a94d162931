import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { projectFunctionsDir, startFunction } from '../../dev/stack/functions.ts';
import { startGateway } from '../../dev/stack/gateway.ts';
import type { StackKeys } from '../../dev/stack/keys.ts';
import { findFreePort } from '../../dev/stack/ports.ts';
import { readBody } from '../../dev/stack/gateway/request_body.ts';
import type { ClaimedRun } from '../support/claimed_run.ts';

/**
 * An instance of the function `flow` that only this test calls. It uses the test stack. Its requests to the stack are
 * counted.
 */
export interface CountedFlow {
  /** Returns the function's requests to PostgREST since `forget`. Each entry is an address and a body. */
  asked: () => string[];
  /** Returns the looks: the requests that ask the database for all waiting callers together. */
  looks: () => string[];
  forget: () => void;
  /** Calls a route about a run with its token; resolves with the response, or with the name of the error. */
  ask: (
    route: string,
    run: Pick<ClaimedRun, 'id' | 'token'>,
    options?: { signal?: AbortSignal; wait?: number },
  ) => Promise<Response | string>;
  stop: () => Promise<void>;
}

/** Passes all requests of a function on to the stack, and reports them. */
async function startCounter(onRequest: (line: string) => void): Promise<Server> {
  const { API_URL } = inject('stack');
  const server = createServer(async (request, response) => {
    const body = await readBody(request, 1_048_576);
    onRequest(`${request.url} ${body}`);
    const { host: _host, connection: _connection, 'transfer-encoding': _encoding, ...headers } = request.headers;
    const answer = await fetch(`${API_URL}${request.url}`, {
      method: request.method,
      headers: headers as Record<string, string>,
      ...(request.method === 'POST' && { body: new Uint8Array(body ?? []) }),
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

export async function serveCountedFlow(): Promise<CountedFlow> {
  const { ANON_KEY, SERVICE_ROLE_KEY, JWT_SECRET } = inject('stack');
  const dir = await mkdtemp(join(tmpdir(), 'flow-waiting-'));
  let asked: string[] = [];
  const counter = await startCounter((line) => asked.push(line));
  const socketPath = join(dir, 'flow.sock');
  const part = startFunction({
    name: 'flow',
    functionsDir: projectFunctionsDir,
    socketPath,
    env: {
      SUPABASE_URL: `http://127.0.0.1:${(counter.address() as AddressInfo).port}`,
      SUPABASE_ANON_KEY: ANON_KEY,
      SUPABASE_SERVICE_ROLE_KEY: SERVICE_ROLE_KEY,
      RUNNER_DISABLED: '1',
    },
    watch: false,
    onLine: () => {},
  });
  const port = await findFreePort(24_000 + (process.pid % 500) * 4);
  const gateway = await startGateway({
    port,
    keys: { anonKey: ANON_KEY, serviceRoleKey: SERVICE_ROLE_KEY, jwtSecret: JWT_SECRET } as StackKeys,
    restSocket: join(dir, 'nobody.sock'),
    functionSocket: () => socketPath,
    authSocket: async () => join(dir, 'nobody.sock'),
    storageSocket: async () => join(dir, 'nobody.sock'),
    authRates: null,
    spoolDir: join(dir, 'spool'),
    console: { handle: (_, response) => void response.writeHead(404).end() },
  });
  const stop = async () => {
    for (const server of [gateway, counter]) {
      server.closeAllConnections();
      server.close();
    }
    await part.stop();
    await rm(dir, { recursive: true, force: true });
  };
  try {
    await part.waitUntilReady();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    asked: () => asked,
    looks: () => asked.filter((line) => /^\/rest\/v1\/(flow_run\?|rpc\/asking_flow_runs )/.test(line)),
    forget: () => {
      asked = [];
    },
    ask: (route, run, { signal, wait } = {}) =>
      fetch(
        `http://127.0.0.1:${port}/functions/v1/flow/${route}/${run.id}${wait === undefined ? '' : `?wait=${wait}`}`,
        {
          headers: { authorization: `Bearer ${run.token}` },
          signal: signal ?? null,
        },
      ).catch((error) => error.name as string),
    stop,
  };
}
