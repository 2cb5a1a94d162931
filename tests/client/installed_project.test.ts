import { createClient } from '@supabase/supabase-js';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { createFlowClient } from '../../client/index.ts';
import { functionNames } from '../../dev/stack/functions.ts';
import { runSupabase } from '../../dev/stack/migrations.ts';
import { projectDir } from '../../dev/stack/paths.ts';
import type { Stack } from '../../dev/stack/stack.ts';
import { startCliDeploy } from '../hosted/cli_deploy.ts';
import { stacksDir } from '../../platform/local_stack/running_stacks.ts';
import { isOutput, readBlocks } from '../readme/pages.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { makeOwnStack, type OwnStack } from '../support/own_stack.ts';

/**
 * An empty project of the Supabase CLI, into which `flows install` has installed this project. The folder is below the
 * folder of this project, so that Deno finds the packages without network.
 */
const dir = join(stacksDir, `test-installed-${process.pid}`);
const functionsDir = join(dir, 'supabase/functions');

let own: OwnStack;
let stack: Stack;
let emptyConfig: string;

const run = promisify(execFile);
const flows = (...args: string[]) => run(join(projectDir, 'client/bin/flows.js'), args, { cwd: dir });

beforeAll(async () => {
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  await runSupabase(['init', '--yes', '--workdir', dir]);
  emptyConfig = readFileSync(join(dir, 'supabase/config.toml'), 'utf8');
  await flows('install');
  own = await makeOwnStack('installed-stack', null);
  stack = await own.boot({ supabaseProject: dir, functionsDir, watch: false });
});
afterAll(async () => {
  await own?.remove();
  rmSync(dir, { recursive: true, force: true });
});

it('config.toml of the CLI begins with the same bytes', () => {
  const config = readFileSync(join(dir, 'supabase/config.toml'), 'utf8');
  expect(config.startsWith(emptyConfig)).toBe(true);
  expect(emptyConfig.length).toBeGreaterThan(1_000);
});

it('the five calls of the README work on a stack that serves the folder', async () => {
  expect(functionNames(functionsDir)).toEqual(functionNames());
  const blocks = readBlocks('README.md');
  const program = blocks.find(({ file }) => file === 'calls.ts')!;
  const shown = blocks.find(({ language, line }) => language === 'output' && line > program.line)!;
  const file = join(dir, 'calls.ts');
  writeFileSync(file, program.text.replaceAll(/from '\.\//g, `from '${projectDir}/`));
  const { API_URL, PUBLISHABLE_KEY } = stack.status;
  const { stdout } = await run(
    join(projectDir, 'node_modules/.bin/tsx'),
    ['--import', join(projectDir, 'dev/stack/websocket.ts'), file],
    { cwd: dir, env: { ...process.env, API_URL, KEY: PUBLISHABLE_KEY } },
  );
  expect(isOutput(shown.text, stdout), stdout).toBe(true);
});

it('a long script is computed in a thread, whose code is in the folder', async () => {
  const supabase = createClient(stack.status.API_URL, stack.status.PUBLISHABLE_KEY);
  await supabase.auth.signUp({ email: `${randomUUID()}@example.com`, password: 'correct horse' });
  const client = createFlowClient(supabase);
  const flow = new FlowBuilder();
  // Without threads, a script may compute for half a second.
  const source = 'let sum = 0; for (let i = 0; i < 5_000_000; i++) sum += i % 7; return { sum };';
  flow.output('sum', flow.node('javascript', { form: { source }, outputs: ['sum'] }).output('sum'));
  const id = await client.storeFlow(flow.row() as Parameters<typeof client.storeFlow>[0]);
  await client.deploy(id);
  expect(await client.output(await client.start({ flow: id }))).toEqual({ sum: 14_999_995n });
});

it('the CLI deploys all functions of the folder, each with all its imports', async () => {
  const cli = await startCliDeploy(dir);
  onTestFinished(() => cli.close());
  const uploads = await cli.deploy();
  expect(uploads.map(({ slug }) => slug).toSorted()).toEqual(functionNames());
  for (const { slug, metadata, files } of uploads) {
    expect(metadata).toMatchObject({
      entrypoint_path: `supabase/functions/${slug}/index.js`,
      import_map_path: '',
      verify_jwt: false,
    });
    expect([...files.keys()]).toContain(metadata.entrypoint_path);
    // Loading the packages of Solana takes most of the start time of a function.
    const hasSolana = [...files.values()].some((bytes) => new TextDecoder().decode(bytes).includes('"npm:@solana'));
    expect(hasSolana, slug).toBe(['action', 'runner', 'signature'].includes(slug));
    for (const [path, bytes] of files) {
      const text = new TextDecoder().decode(bytes);
      expect(text).toBe(readFileSync(join(dir, path), 'utf8'));
      for (const [, imported] of text.matchAll(/(?:from |^import |import\()"(\.[^"]+)"/gm)) {
        expect([...files.keys()], `${path} of ${slug}`).toContain(join(dirname(path), imported!));
      }
    }
  }
});

it('the shared code has the licences of the packages that it contains', () => {
  const licences = readFileSync(join(functionsDir, '_flow_deployments/LICENSE'), 'utf8');
  for (const name of ['flow-deployments', 'acorn', 'csv-parse', 'jsonata', 'quickjs']) {
    expect(licences.toLowerCase()).toContain(name);
  }
});

it('a read-only folder is refused, and nothing is changed', async () => {
  const copy = `${dir}-read-only`;
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
  mkdirSync(join(copy, 'supabase'), { recursive: true });
  cpSync(join(dir, 'supabase/config.toml'), join(copy, 'supabase/config.toml'));
  writeFileSync(join(copy, 'supabase/config.toml'), emptyConfig);
  chmodSync(join(copy, 'supabase'), 0o555);
  // The superuser may write everywhere, so the command runs as another user.
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const refused = await run(join(projectDir, 'client/bin/flows.js'), ['install', copy], { ...user, cwd: projectDir })
    .catch((error) => error);
  expect(refused).toMatchObject({ code: 2, stderr: `error: ${join(copy, 'supabase')} is read-only.\n` });
  expect(readdirSync(join(copy, 'supabase'))).toEqual(['config.toml']);
  expect(readFileSync(join(copy, 'supabase/config.toml'), 'utf8')).toBe(emptyConfig);
});
