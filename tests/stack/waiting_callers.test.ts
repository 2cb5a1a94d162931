import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { projectFunctionsDir, startFunction } from '../../supabase/local/functions.ts';
import { startGateway } from '../../supabase/local/gateway.ts';
import type { StackKeys } from '../../supabase/local/keys.ts';
import type { Part } from '../../supabase/local/part.ts';
import { findFreePort } from '../../supabase/local/ports.ts';
import { readBody } from '../../supabase/local/request_body.ts';
import { type ClaimedRun, makeClaimedRun } from '../support/claimed_run.ts';
import { type Person, signUp } from '../support/people.ts';
import { waitFor } from '../support/wait.ts';

const { API_URL, ANON_KEY, SERVICE_ROLE_KEY } = inject('stack');
/** Looks without a run, after which nobody waits for it: those who wait look every tenth of a second for their first ten. */
const ENOUGH_LOOKS = 20;

let owner: Person;
let dir: string;
let counter: Server;
let part: Part;
let gateway: Server;
let url: string;
/** What the function `flow` has asked the database, an entry for each request. */
let asked: string[] = [];

/** Between the function and the stack: hands all requests on, and notes them. */
const startCounter = async (): Promise<Server> => {
  const server = createServer(async (request, response) => {
    const body = await readBody(request, 1_048_576);
    asked.push(`${request.url} ${body}`);
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
};

beforeAll(async () => {
  owner = await signUp();
  dir = await mkdtemp(join(tmpdir(), 'flow-waiting-'));
  counter = await startCounter();
  const socketPath = join(dir, 'flow.sock');
  part = startFunction({
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
  url = `http://127.0.0.1:${port}/functions/v1`;
  gateway = await startGateway({
    port,
    keys: { anonKey: ANON_KEY, serviceRoleKey: SERVICE_ROLE_KEY } as StackKeys,
    restSocket: join(dir, 'nobody.sock'),
    functionSocket: () => socketPath,
    auth: async () => new Response(),
  });
  await part.waitUntilReady();
});
afterAll(async () => {
  for (const server of [gateway, counter]) {
    server?.closeAllConnections();
    server?.close();
  }
  await part?.stop();
  await rm(dir, { recursive: true, force: true });
});

let [left, right]: ClaimedRun[] = [];
beforeEach(async () => {
  [left, right] = await Promise.all([makeClaimedRun(owner.id), makeClaimedRun(owner.id)]);
  asked = [];
});

/** The looks by which the function asks on behalf of all who wait. */
const looks = () => asked.filter((line) => /^\/rest\/v1\/(flow_run\?|rpc\/asking_flow_runs )/.test(line));

it.each(['output', 'signature_request'])(
  'nobody looks for the %s of a run any more whose caller is gone',
  async (route) => {
    const wait = (run: ClaimedRun, signal: AbortSignal) =>
      fetch(`${url}/flow/${route}/${run.id}`, { headers: { authorization: `Bearer ${run.token}` }, signal })
        .then((response) => response.status, (error) => error.name);
    const [goes, stays] = [new AbortController(), new AbortController()];
    const answers = [wait(left!, goes.signal), wait(right!, stays.signal)];
    await waitFor(() => looks().some((line) => line.includes(left!.id) && line.includes(right!.id)) || undefined);
    goes.abort();
    expect(await answers[0]).toBe('AbortError');
    await waitFor(() => {
      const last = looks().slice(-ENOUGH_LOOKS);
      return last.every((line) => !line.includes(left!.id) && line.includes(right!.id)) || undefined;
    });
    stays.abort();
    await answers[1];
    // Nor is anything asked for who is gone, when the wait has ended by that.
    const told = asked.filter((line) => line.includes('rpc/') && !line.includes('asking') && line.includes(left!.id));
    expect(told).toHaveLength(1);
  },
);

it('hundreds of callers who wait cost the database a look for all of them, and hold none of its connections', async () => {
  const all = new AbortController();
  const waiting = Array.from({ length: 300 }, () =>
    fetch(`${url}/flow/output/${left!.id}`, {
      headers: { authorization: `Bearer ${left!.token}` },
      signal: all.signal,
    }).then((response) => response.text(), (error) => error.name));
  await waitFor(() => asked.filter((line) => line.includes('await_flow_run_result')).length === 300 || undefined);
  await waitFor(() => looks().length > 0 || undefined);
  // Another one is answered meanwhile.
  const answer = await fetch(`${url}/flow/output/${right!.id}?wait=0`, {
    headers: { authorization: `Bearer ${right!.token}` },
  });
  expect([answer.status, await answer.json()]).toEqual([202, { status: 'running' }]);
  await left!.end();
  const answers = await Promise.all(waiting);
  expect(new Set(answers).size).toBe(1);
  expect(JSON.parse(answers[0]!).code).toBe('run_stopped');
  // One call of its own each, and the looks.
  expect(asked.filter((line) => line.includes(left!.id) && !looks().includes(line))).toHaveLength(300);
});
