import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { type GatewayOptions, startGateway } from '../../dev/stack/gateway.ts';
import { watchPace } from '../../dev/stack/gateway/pace.ts';
import type { StackKeys } from '../../dev/stack/keys.ts';
import { findFreePort } from '../../dev/stack/ports.ts';
import { waitFor } from '../support/wait.ts';

/** Far more bytes than the operating system buffers for a connection. */
const BYTES = 30_000_000;
const payload = randomBytes(BYTES);
const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

let dir: string;
const servers: Server[] = [];
/** The number of bytes that the part has delivered. */
let taken = 0;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'flow-answers-'));
});
afterEach(() => {
  taken = 0;
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});
afterAll(() => rm(dir, { recursive: true }));

async function startBefore(bounds: GatewayOptions['bounds'] = {}): Promise<string> {
  const restSocket = join(dir, `rest-${performance.now()}.sock`);
  const port = await findFreePort(24_000 + (process.pid % 500) * 4);
  const part = createServer((_, response) => {
    response.once('finish', () => taken++);
    response.writeHead(200, { 'content-length': BYTES }).end(payload);
  }).listen(restSocket);
  const gateway = await startGateway({
    port,
    keys: { anonKey: 'anon', serviceRoleKey: 'service', jwtSecret: 'secret' } as StackKeys,
    restSocket,
    functionSocket: () => undefined,
    authSocket: async () => restSocket,
    storageSocket: async () => restSocket,
    authRates: null,
    spoolDir: join(dir, 'spool'),
    console: { handle: (_, response) => void response.end() },
    bounds,
  });
  servers.push(part, gateway);
  return `http://127.0.0.1:${port}/rest/v1/x`;
}

/** Sends a request, and reads nothing of the answer's body. */
async function ask(url: string): Promise<IncomingMessage> {
  const [response] = await once(get(url, { headers: { apikey: 'anon' }, agent: false }), 'response');
  return response;
}

/** Reads the rest of an answer; undefined if the connection was cut. */
async function readAll(response: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of response) chunks.push(chunk);
    return Buffer.concat(chunks);
  } catch {
    return undefined;
  }
}

const countConnections = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => server.getConnections((error, count) => error ? reject(error) : resolve(count)));

it('a part delivers its answer before a slow reader has read it, and the reader gets the whole answer', async () => {
  const url = await startBefore();
  const readers = await Promise.all([ask(url), ask(url), ask(url)]);
  await waitFor(() => taken === 3 || undefined);
  for (const reader of readers) expect(hashOf((await readAll(reader))!)).toBe(hashOf(payload));
});

it('a reader who reads nothing for some time loses the connection', async () => {
  const url = await startBefore({ answerPace: { windowMs: 500, leastBytes: 65_536 } });
  const stuck = await ask(url);
  const cut = once(stuck.socket, 'close');
  // The gateway gives up before the answer is read. So the answer is incomplete.
  await waitFor(async () => await countConnections(servers.at(-1)!) === 0 || undefined);
  expect(await readAll(stuck)).toBeUndefined();
  await cut;
});

it('a pace is too slow if too few bytes move in a window while bytes wait at its beginning and end', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let [isWaiting, stalls] = [true, 0];
  const pace = watchPace({ windowMs: 1_000, leastBytes: 100 }, () => isWaiting, () => stalls++);
  const pass = (bytes: number) => {
    pace.moved(bytes);
    vi.advanceTimersByTime(1_000);
    return stalls;
  };
  expect([pass(100), pass(150)]).toEqual([0, 0]);
  isWaiting = false;
  expect([pass(0), pass(0)]).toEqual([0, 0]);
  isWaiting = true;
  // A window counts only if bytes waited at its beginning. At the beginning of the first window after an idle time, no
  // bytes waited.
  expect([pass(0), pass(99), pass(0)]).toEqual([0, 1, 1]);
  pace.stop();
});

it('readers of one caller hold at most its share: one more idle reader loses the connection', async () => {
  const url = await startBefore({ answersInFiles: { all: 2 * BYTES, caller: BYTES } });
  const first = await ask(url);
  await waitFor(() => taken === 1 || undefined);
  const second = await ask(url);
  // The gateway gives up before the answer is read.
  await waitFor(async () => await countConnections(servers.at(-1)!) === 1 || undefined);
  expect(await readAll(second)).toBeUndefined();
  expect(hashOf((await readAll(first))!)).toBe(hashOf(payload));
});
