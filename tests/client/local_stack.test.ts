import { createClient } from '@supabase/supabase-js';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { stackDir } from '../../platform/local_stack/running_stacks.ts';
import { projectDir } from '../../dev/stack/paths.ts';
import { findFreePort } from '../../dev/stack/ports.ts';
import { type Stack, startStack } from '../../dev/stack/stack.ts';
import { findStackUser } from '../../client/shell/stack_user.ts';
import { copyStack } from '../support/blank_stack.ts';

let stack: Stack;
let port: number;
beforeAll(async () => {
  port = await findFreePort();
  await copyStack(inject('blankStack'), stackDir(port));
  stack = await startStack({ port, watch: false });
});
afterAll(() => stack?.remove());

const flows = (args: string[], env: Record<string, string> = { FLOWS_URL: stack.status.API_URL }) =>
  promisify(execFile)(join(projectDir, 'node_modules/.bin/flows'), args, {
    env: { PATH: process.env.PATH!, ...env },
  }).then(({ stdout, stderr }) => ({ code: 0, stdout, stderr }), (error) => error as { code: number; stderr: string });

const deployExample = async () => {
  const ended = await flows(['deploy', join(projectDir, 'docs/example_flow.json'), '--json']);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse((ended as { stdout: string }).stdout) as { deployment_id: string };
};

it('in a checkout, flows finds the local stack and stores a user there, without the secret key', async () => {
  const { deployment_id } = await deployExample();
  const file = join(stackDir(port), 'flows_api_key');
  const kept = readFileSync(file, 'utf8');
  expect(kept).toMatch(/^fk_[\w-]+$/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  // `flows` acts as the same user: it may start a deployment that only the owner may start.
  expect(await flows(['start', deployment_id, 'item=tea', '--wait'])).toMatchObject({ code: 0 });
  expect(readFileSync(file, 'utf8')).toBe(kept);
  // After a reset, the stack does not know the old key.
  writeFileSync(file, 'fk_of_a_former_stack');
  await deployExample();
  expect(readFileSync(file, 'utf8')).toMatch(/^fk_(?!of_)/);
  // A user in the environment takes precedence.
  expect(await flows(['runs'], { FLOWS_URL: stack.status.API_URL, FLOWS_API_KEY: 'fk_mine' })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('(api_key_invalid)'),
  });
});

it('an address without a stack of the checkout needs its key', async () => {
  expect(await flows(['runs'], { FLOWS_URL: 'http://127.0.0.1:9' })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('FLOWS_KEY must be set'),
  });
});

it('flows login changes the user of the shell, and the stack has one user for demo, shell and console', async () => {
  const email = `ada-${randomUUID()}@example.com`;
  const { data } = await createClient(stack.status.API_URL, stack.status.PUBLISHABLE_KEY).auth
    .signUp({ email, password: 'correct horse' });
  const url = stack.status.API_URL;
  const refused = await flows(['login', email], { FLOWS_URL: url, FLOWS_PASSWORD: 'a guess' });
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('(sign_in_refused)') });
  const silent = await flows(['login', 'nobody'], { FLOWS_URL: url, FLOWS_PASSWORD: 'x' });
  expect(silent).toMatchObject({ code: 2, stderr: expect.stringContaining('must be the email of a user') });

  const done = await flows(['login', email], { FLOWS_URL: url, FLOWS_PASSWORD: 'correct horse' });
  expect(done).toMatchObject({ code: 0, stdout: `flows acts as ${email} on ${url} from now on.\n`, stderr: '' });
  const { deployment_id } = await deployExample();
  const admin = createClient(url, stack.status.SERVICE_ROLE_KEY);
  const row = await admin.from('flow_deployments').select('user_id').eq('id', deployment_id).single().throwOnError();
  expect(row.data.user_id).toBe(data.user!.id);

  // If the key can't be stored, it is printed.
  const elsewhere = await flows(['login', email], {
    FLOWS_URL: url,
    FLOWS_KEY: stack.status.PUBLISHABLE_KEY,
    FLOWS_PASSWORD: 'correct horse',
  });
  expect(elsewhere).toMatchObject({ code: 0, stdout: expect.stringMatching(/^export FLOWS_API_KEY=fk_[\w-]+\n$/) });

  const project = { url, key: stack.status.PUBLISHABLE_KEY };
  const [first, again] = [await findStackUser(stackDir(port), project), await findStackUser(stackDir(port), project)];
  expect([again.email, again.password]).toEqual([first.email, first.password]);
  expect(statSync(join(stackDir(port), 'user.json')).mode & 0o777).toBe(0o600);
});
