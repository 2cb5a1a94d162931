import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { readRunnerSettings } from '../../runner/settings.ts';
import { runnerEnvironment, startFunction } from '../../dev/stack/functions.ts';
import type { Part } from '../../dev/stack/parts/part.ts';

let dir: string | undefined;
let part: Part | undefined;
afterEach(async () => {
  vi.unstubAllEnvs();
  await part?.stop();
  if (dir !== undefined) await rm(dir, { recursive: true, force: true });
});

it('a function inherits only its own variables and those for the network from the shell', async () => {
  dir = await mkdtemp(join(tmpdir(), 'flow-environment-'));
  await mkdir(join(dir, 'environment'));
  await writeFile(
    join(dir, 'environment/index.ts'),
    'export default { fetch: () => Response.json(Deno.env.toObject()) };',
  );
  for (const name of ['FOO_SECRET', 'AWS_SECRET_ACCESS_KEY', 'PGPASSWORD', 'SUPABASE_ACCESS_TOKEN']) {
    vi.stubEnv(name, 'secret');
  }
  vi.stubEnv('NO_PROXY', '127.0.0.1');
  vi.stubEnv('no_proxy', 'localhost');
  vi.stubEnv('SIGNATURE_TIMEOUT_MS', '1000');
  const socketPath = join(dir, 'environment.sock');
  const env = { GIVEN: 'yes', ...runnerEnvironment(process.env) };
  const options = { name: 'environment', functionsDir: dir, socketPath, env, watch: false, onLine: () => {} };
  part = startFunction(options);
  await part.waitUntilReady();

  const [response] = await once(request({ socketPath, path: '/' }).end(), 'response');
  const seen = await json(response) as Record<string, string>;
  expect(Object.entries(seen).filter(([, value]) => value === 'secret')).toEqual([]);
  expect(seen).toMatchObject({
    GIVEN: 'yes',
    NO_PROXY: '127.0.0.1',
    no_proxy: 'localhost',
    SIGNATURE_TIMEOUT_MS: '1000',
    PATH: process.env.PATH,
  });
});

it("all of the runner's settings are passed on from the shell", () => {
  const names = ['RUNNER_DISABLED', 'HELIUS_API_KEY'];
  readRunnerSettings((name) => void names.push(name), true);
  expect(names).toEqual(expect.arrayContaining(['ACTION_TIMEOUT_MS', 'ALLOW_PRIVATE_NETWORK']));
  const env = Object.fromEntries(names.map((name) => [name, '1']));
  expect(runnerEnvironment({ ...env, FOO_SECRET: 'secret', HTTP_PROXY: 'proxy' })).toEqual(env);
});
