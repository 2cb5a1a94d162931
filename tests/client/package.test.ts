import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { buildClient } from '../../client/build/build.ts';
import { buildRelease } from '../../client/build/release.ts';
import { denoBinary } from '../../dev/stack/functions.ts';
import { projectDir } from '../../dev/stack/paths.ts';
import { keptDeclarations } from '../support/client_declarations.ts';
import { makeKeypair } from '../support/keypairs.ts';
import { deploy, type Person, signUp, storeFlow } from '../support/people.ts';
import { textFlow } from '../support/flow_builder.ts';

const run = promisify(execFile);

/** An empty project in which the packed package is installed. */
let dir: string;
let environment: Record<string, string>;
let owner: Person;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'flow-client-'));
  await buildClient(join(dir, 'dist'), keptDeclarations());
  const npm = { cwd: dir, env: { PATH: process.env.PATH!, HOME: dir, npm_config_offline: 'true' } };
  const { stdout } = await run('npm', ['pack', './dist', '--json'], npm);
  const packed = JSON.parse(stdout);
  const [{ filename }] = Array.isArray(packed) ? packed : Object.values<{ filename: string }>(packed) as [
    { filename: string },
  ];
  writeFileSync(join(dir, 'package.json'), '{"name": "empty", "private": true, "type": "module"}');
  await run('npm', ['install', `./${filename}`, '--no-audit', '--no-fund'], npm);

  owner = await signUp();
  const deployment = await deploy(owner, await storeFlow(owner, textFlow()));
  await owner.client.from('flow_deployments').update({ start_permission: 'Anonymous' }).eq('id', deployment)
    .throwOnError();
  const { data } = await owner.client.rpc('create_api_key', { name: 'package' }).throwOnError();
  environment = {
    PATH: process.env.PATH!,
    HOME: dir,
    FLOWS_URL: inject('stack').API_URL,
    FLOWS_KEY: inject('stack').PUBLISHABLE_KEY,
    FLOWS_API_KEY: (data as { key: string }).key,
    DEPLOYMENT: deployment,
    PUBLIC_KEY: makeKeypair().publicKey,
  };
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** A program that starts a deployment without an account and prints its output. */
const PROGRAM = `
  import { createFlowClient, FlowError } from 'flow-deployments-client';
  export async function main(env) {
    const flows = createFlowClient({ url: env.FLOWS_URL, key: env.FLOWS_KEY });
    const refused = await flows.start(env.DEPLOYMENT).catch((error) => error);
    const run = await flows.start(env.DEPLOYMENT, { value: 7n }, { publicKey: env.PUBLIC_KEY });
    return [refused instanceof FlowError, refused.code, await flows.output(run)];
  }
`;
const RESULT = [true, 'unauthenticated', { text: '7' }];

describe('the packed package, installed into an empty project', () => {
  it('contains only the published files, and has no dependencies', () => {
    const installed = join(dir, 'node_modules/flow-deployments-client');
    expect(readdirSync(join(dir, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      'flow-deployments-client',
    ]);
    const files = readdirSync(installed).map((name) => name.replace(/_[A-Z0-9]{8}\./, '.'));
    expect([...new Set(files)].toSorted()).toEqual([
      'LICENSE',
      'README.md',
      'THIRD_PARTY_LICENSES',
      'describing.d.ts',
      'describing.js',
      'editor_flow.d.ts',
      'editor_flow.js',
      'flows.js',
      'index.d.ts',
      'index.js',
      'package.json',
      'shared.js',
      'supabase',
    ]);
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    expect(Object.keys(manifest)).not.toContain('private');
    expect(Object.keys(manifest)).not.toContain('dependencies');
    for (const file of ['index.d.ts', 'editor_flow.d.ts']) {
      expect(readFileSync(join(installed, file), 'utf8')).not.toMatch(/from ['"]|import\(|zod/);
    }
    const licences = readFileSync(join(installed, 'THIRD_PARTY_LICENSES'), 'utf8');
    for (const name of ['@scure/base', 'lossless-json', 'zod']) expect(licences).toContain(name);
  });

  it('runs on Node', async () => {
    writeFileSync(join(dir, 'program.js'), `${PROGRAM}\nconsole.log(JSON.stringify(await main(process.env)));`);
    const { stdout } = await run(process.execPath, ['program.js'], { cwd: dir, env: environment });
    expect(JSON.parse(stdout)).toEqual(RESULT);
  });

  it('runs on Deno', async () => {
    writeFileSync(join(dir, 'deno.ts'), `${PROGRAM}\nconsole.log(JSON.stringify(await main(Deno.env.toObject())));`);
    const args = ['run', '--no-check', '--allow-net', '--allow-env', '--node-modules-dir=manual', 'deno.ts'];
    const { stdout } = await run(denoBinary(), args, { cwd: dir, env: { ...environment, NO_COLOR: '1' } });
    expect(JSON.parse(stdout)).toEqual(RESULT);
  });

  it('runs in a browser: its bundle uses only web APIs', async () => {
    const { outputFiles, metafile } = await build({
      stdin: { contents: PROGRAM, resolveDir: dir },
      bundle: true,
      minify: true,
      platform: 'browser',
      format: 'iife',
      globalName: 'page',
      write: false,
      metafile: true,
    });
    const [{ text, contents }] = outputFiles as [(typeof outputFiles)[0]];
    expect(Object.keys(metafile.inputs).filter((path) => /editor_flow|zod|codama/.test(path))).toEqual(
      [],
    );
    console.log(`client in a page: ${contents.length} bytes, ${gzipSync(contents).length} with gzip`);
    expect(contents.length).toBeLessThan(49_000);
    const web = { fetch, URL, Headers, AbortController, TextDecoder, TextEncoder, crypto, setTimeout, clearTimeout };
    const result = runInContext(`${text}; page.main(env)`, createContext({ ...web, Uint8Array, env: environment }));
    expect(JSON.parse(JSON.stringify(await result))).toEqual(RESULT);
  });

  it('has types with which a strict program compiles, with and without supabase-js', async () => {
    const program = `
      import { createFlowClient, FlowError, fromValue, toValue, type FlowClient, type Value } from 'flow-deployments-client';
      import { editorFlowToRow } from 'flow-deployments-client/editor-flow';
      import { describeIdl, describeOpenApi } from 'flow-deployments-client/describing';
      interface Shop { inputs: { item: string; quantity?: number }; outputs: { total: string } }
      export async function main(flows: FlowClient): Promise<string> {
        const shop = flows.deployment<Shop>({ flow: 7, tag: 'stable' });
        const total: string = (await shop.run({ item: 'tea' })).total;
        // @ts-expect-error: item is required.
        await shop.start();
        // @ts-expect-error: a quantity is a number.
        await shop.start({ item: 'tea', quantity: 'three' });
        // @ts-expect-error: there is no such output.
        (await shop.run({ item: 'tea' })).sum;
        const run = await flows.start<Shop['inputs'], Shop['outputs']>(7, { item: 'tea' });
        const again: { total: string } = await flows.output(run);
        for await (const line of flows.logs(run)) console.log(line.content.length);
        await flows.storeFlow(editorFlowToRow({}));
        await flows.storeDefinitions(describeOpenApi('{}').definitions);
        await flows.storeDefinitions((await describeIdl('{}')).definitions);
        const value: Value = toValue(7n);
        try { fromValue(value); } catch (error) { if (error instanceof FlowError) return error.hint ?? error.code; }
        return total + again.total;
      }
      export const flows: FlowClient = createFlowClient({ url: 'https://example.com', key: 'x' });
      // @ts-expect-error: a key is missing.
      createFlowClient({ url: 'https://example.com' });
    `;
    const withSupabase = `
      import { createClient } from '@supabase/supabase-js';
      import { createFlowClient, type Database } from 'flow-deployments-client';
      export const typed = createFlowClient(createClient<Database>('https://example.com', 'x'));
      export const plain = createFlowClient(createClient('https://example.com', 'x'));
    `;
    const compile = async (files: Record<string, string>, skipLibCheck = false) => {
      for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
      const config = {
        compilerOptions: {
          strict: true,
          noEmit: true,
          exactOptionalPropertyTypes: true,
          noUncheckedIndexedAccess: true,
          skipLibCheck,
          types: [],
          target: 'es2023',
          lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
          module: 'nodenext',
        },
        files: Object.keys(files),
      };
      writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify(config));
      return await run(join(projectDir, 'node_modules/.bin/tsc'), ['-p', dir], { cwd: dir }).catch((error) => error);
    };
    expect((await compile({ 'program.ts': program })).stdout).toBe('');
    if (!existsSync(join(dir, 'node_modules/@supabase'))) {
      mkdirSync(join(dir, 'node_modules/@supabase'));
      symlinkSync(
        join(projectDir, 'node_modules/@supabase/supabase-js'),
        join(dir, 'node_modules/@supabase/supabase-js'),
      );
    }
    // The declarations of supabase-js itself need those of Node.
    expect((await compile({ 'with_supabase.ts': withSupabase }, true)).stdout).toBe('');
  });

  it('contains the command, which needs no checkout', async () => {
    const flows = (args: string[], env: Record<string, string>) =>
      run(join(dir, 'node_modules/.bin/flows'), args, { cwd: dir, env }).catch((error) => error);
    expect(JSON.parse((await flows(['runs', '--json'], environment)).stdout)).toBeInstanceOf(Array);
    const { PATH } = environment as { PATH: string };
    expect(await flows(['runs'], { PATH })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: "error: FLOWS_URL and FLOWS_KEY must be set to the project's address and its publishable key.\n",
    });
  });
});

describe('flows install of the packed package', () => {
  it('installs the same files as the checkout, without a checkout', async () => {
    const project = join(dir, 'project');
    mkdirSync(join(project, 'supabase'), { recursive: true });
    writeFileSync(join(project, 'supabase/config.toml'), '');
    await run(join(dir, 'node_modules/.bin/flows'), ['install', project], {
      cwd: dir,
      env: { PATH: process.env.PATH! },
    });
    const release = await buildRelease();
    for (const [path, text] of release.files) {
      expect(readFileSync(join(project, 'supabase', path), 'utf8') === text, path).toBe(true);
    }
    const { version, files } = JSON.parse(readFileSync(join(project, 'supabase/flows.json'), 'utf8'));
    expect([version, Object.keys(files)]).toEqual([release.version, [...release.files.keys()].toSorted()]);
  });
});

describe('the workspace', () => {
  it('has the version of the project, and no dependencies of its own', () => {
    const read = (name: string) => JSON.parse(readFileSync(join(projectDir, name), 'utf8'));
    const client = read('client/package.json');
    expect(client.version).toBe(read('package.json').version);
    expect(Object.keys(client).filter((name) => /dependencies/i.test(name))).toEqual([]);
  });
});
