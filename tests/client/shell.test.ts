import { idlText } from '../support/idls/read_idl.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { buildRelease } from '../../client/build/release.ts';
import { createFlowClient } from '../../client/create_flow_client.ts';
import { exitCodes } from '../../client/shell/exit_codes.ts';
import { main } from '../../client/shell/main.ts';
import { projectDir } from '../../dev/stack/paths.ts';
import { connect } from '../../dev/stack/postgres/postgres.ts';
import { startFlakyProxy } from '../support/flaky_proxy.ts';
import { FlowBuilder, textFlow } from '../support/flow_builder.ts';
import { makeKeypair } from '../support/keypairs.ts';
import { startMcpServer, type TestTool } from '../support/mcp_server.ts';
import { waitFlow } from '../support/mixed_flows.ts';
import { askingFlow } from '../support/pending_inputs.ts';
import { deploy, type Person, signUp, storeFlow } from '../support/people.ts';
import { waitFor } from '../support/wait.ts';

/** An id that belongs to nothing. */
const UUID = '019ab6a8-93b6-7c2c-8de0-1f6a3c0f4b5e';
const EXAMPLE = join(projectDir, 'docs/example_flow.json');
const dir = mkdtempSync(join(tmpdir(), 'flow-shell-'));

let owner: Person;
let environment: Record<string, string>;
/** The example flow, deployed with the tag `stable`. */
let shop: { flow_id: number; deployment_id: string };

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs `flows` in a process of its own, as a person does. */
function launch(args: string[], env: Record<string, string> = environment): ChildProcess & { ended: Promise<Ended> } {
  const child = spawn(join(projectDir, 'client/bin/flows.js'), args, {
    cwd: dir,
    env: { PATH: process.env.PATH!, ...env },
  });
  const printed = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => printed.stdout += chunk);
  child.stderr.on('data', (chunk) => printed.stderr += chunk);
  const ended = new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ code, ...printed })));
  return Object.assign(child, { ended });
}

/** Calls the function of `flows` in this process, which saves the start of a new process. */
async function call(args: string[], env: Record<string, string> = environment): Promise<Ended> {
  const printed = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof printed) =>
    new Writable({
      write: (chunk, _encoding, done) => {
        printed[name] += chunk;
        done();
      },
    });
  const code = await main(args, {
    stdin: Readable.from([]),
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    env,
    signal: new AbortController().signal,
    readRelease: buildRelease,
  });
  return { code, ...printed };
}

const flows = (...args: string[]): Promise<Ended> => call(args);

/** Returns the JSON that a command prints with --json. */
async function json<Answer>(...args: string[]): Promise<Answer> {
  const { code, stdout, stderr } = await flows(...args, '--json');
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

beforeAll(async () => {
  owner = await signUp();
  const { data } = await owner.client.rpc('create_api_key', { name: 'shell' }).throwOnError();
  environment = {
    FLOWS_URL: inject('stack').API_URL,
    FLOWS_KEY: inject('stack').PUBLISHABLE_KEY,
    FLOWS_API_KEY: (data as { key: string }).key,
  };
  shop = await json('deploy', EXAMPLE, '--tag', 'stable');
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const startWaiting = async (): Promise<string> => {
  const deployment = await deploy(owner, await storeFlow(owner, waitFlow(60_000)));
  const { flow_run_id } = await json<{ flow_run_id: string }>('start', deployment, 'n:=1');
  return flow_run_id;
};

describe('flows list, pull and push', () => {
  it('writes flows for git, stores their changes, and refuses to overwrite what changed in between', async () => {
    const graph = new FlowBuilder();
    graph.output('told', graph.input('greeting'));
    const id = await storeFlow(owner, graph, { name: 'Git: greetings', folder: 'Mails' });
    const nodes = `[{"id":"a","theirs":18446744073709551615,"data":{}}]`;
    const exact = await fetch(`${inject('stack').API_URL}/rest/v1/flows?id=eq.${id}`, {
      method: 'PATCH',
      headers: {
        apikey: inject('stack').PUBLISHABLE_KEY,
        authorization: `Bearer ${owner.token}`,
        'content-type': 'application/json',
      },
      body: `{"nodes":${nodes},"edges":[],"environment":{"SECRET":"kept"}}`,
    });
    expect(exact.status).toBe(204);
    const folder = join(dir, 'pulled');
    const file = join(folder, `${id}-git-greetings.json`);
    expect((await flows('list')).stdout).toMatch(new RegExp(`^${id}  .*  Mails/Git: greetings$`, 'm'));
    expect(await json('pull', folder, String(id))).toEqual([{ flow_id: id, file }]);
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('18446744073709551615');
    expect(text).not.toContain('SECRET');

    // A move to another folder in the console is no change that a push would overwrite.
    await owner.client.from('flows').update({ folder: 'Drafts' }).eq('id', id).throwOnError();
    writeFileSync(file, text.replace('"Git: greetings"', '"Git: hellos"').replace('"Mails"', '"Letters"'));
    const edited = readFileSync(file, 'utf8');
    expect(await flows('pull', folder, String(id))).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(`not pushed stay as they are: ${file}. Push them, or use --force.`),
    });
    expect(readFileSync(file, 'utf8')).toBe(edited);
    expect(await flows('push', file)).toMatchObject({ code: 0, stdout: `flow ${id}  ${file}\n` });
    writeFileSync(file, '<<<<<<< HEAD');
    expect((await flows('pull', folder, String(id))).code).toBe(2);
    expect((await flows('pull', folder, String(id), '--force')).code).toBe(0);
    const { data } = await owner.client.from('flows').select('name, folder, environment, nodes::text').eq('id', id)
      .single();
    expect(data).toMatchObject({ name: 'Git: hellos', folder: 'Letters', environment: { SECRET: 'kept' } });
    expect(data?.nodes).toContain('18446744073709551615');
    // The file has the new time, so that it can be pushed again.
    expect((await flows('push', file)).code).toBe(0);

    await owner.client.from('flows').update({ description: 'by hand' }).eq('id', id).throwOnError();
    const refused = await flows('push', file, '--json');
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stderr)).toMatchObject({ code: 'flow_changed', status: 409 });
    // A file of a renamed flow keeps its name.
    expect(await json('pull', folder, String(id))).toEqual([{ flow_id: id, file }]);
    expect((await flows('push', file)).code).toBe(0);
    const { id: _, ...rest } = JSON.parse(readFileSync(file, 'utf8'));
    const copy = join(folder, 'copy.json');
    writeFileSync(copy, JSON.stringify(rest));
    const [made] = await json<{ flow_id: number }[]>('push', copy);
    expect(JSON.parse(readFileSync(copy, 'utf8'))).toMatchObject({
      id: made!.flow_id,
      name: 'Git: hellos',
      folder: 'Letters',
    });
    expect(await flows('push', EXAMPLE)).toMatchObject({ code: 2 });
  });
});

describe('flows nodes', () => {
  const pets = (version: string, changes: object = {}) => ({
    openapi: '3.1.0',
    info: { title: 'Pets', version },
    servers: [{ url: 'https://pets.example' }],
    paths: {
      '/pets': {
        get: {
          operationId: 'listPets',
          parameters: [{ name: 'tag', in: 'query', schema: { type: 'string' } }],
          responses: { 200: { description: 'ok' } },
          ...changes,
        },
        post: { requestBody: { $ref: 'other.json' }, responses: {} },
        put: { operationId: 'savePets', responses: {} },
      },
    },
  });
  const file = join(dir, 'pets.json');
  const store = (document: object) => writeFileSync(file, JSON.stringify(document));

  it('--print makes definitions of a file, in JSON or YAML, without a project', async () => {
    store(pets('2'));
    const printed = await call(['nodes', 'add', 'openapi', file, '--print', '--only', 'listPets'], {});
    expect(printed).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(printed.stdout)).toMatchObject({
      definitions: [{ type: 'openapi', data: { node_id: 'listPets', version: '2', effects: 'none' } }],
      refused: [],
    });
    const yaml = join(dir, 'pets.yaml');
    writeFileSync(yaml, 'swagger: "2.0"\ninfo: {}\npaths: {/a: {post: {responses: {}}}}\n');
    const { stdout } = await call(['nodes', 'add', 'openapi', yaml, '--print'], {});
    expect(JSON.parse(stdout)).toMatchObject({ definitions: [{ data: { node_id: 'post_a', effects: 'once' } }] });
  });

  it('--effects chooses the effects of an operation, by its name or by method and path', async () => {
    store(pets('2'));
    const add = ['nodes', 'add', 'openapi', file, '--print', '--prefix', 'my_'];
    const effectsOf = async (...options: string[]) =>
      JSON.parse((await call([...add, ...options], {})).stdout).definitions
        .map(({ data }: { data: { effects: string } }) => data.effects);
    expect(await effectsOf()).toEqual(['none', 'idempotent']);
    expect(await effectsOf('--effects', 'listPets=once', '--effects', 'PUT /pets=none')).toEqual(['once', 'none']);
    expect(await effectsOf('--effects', 'my_savePets=once')).toEqual(['none', 'once']);
    for (
      const [wrong, message] of [
        ['listPets', 'must be operation=effects'],
        ['listPets=some', 'some must be none, idempotent or once'],
        ['missing=once', 'missing: the document gives no such node'],
      ] as const
    ) {
      expect(await call([...add, '--effects', wrong], {})).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(message),
      });
    }
  });

  it('makes nodes of the IDL of a Solana program, adds them and updates them', async () => {
    const idl = JSON.parse(idlText('shop_older_anchor'));
    writeFileSync(file, JSON.stringify(idl));
    const printed = await call(['nodes', 'add', 'idl', file, '--print', '--only', 'buyItem'], {});
    expect(JSON.parse(printed.stdout)).toMatchObject({
      definitions: [{ type: 'solana', data: { node_id: 'shop_buy_item', version: '0.1.0', effects: 'once' } }],
      refused: [],
    });
    expect(await flows('nodes', 'add', 'idl', file)).toEqual({
      code: 0,
      stdout: 'shop_buy_item  0.1.0  solana  effects once  10 inputs, 5 outputs\n' +
        'shop_shelf_account  0.1.0  solana  effects none  1 inputs, 4 outputs\n',
      stderr: 'stored 2 definitions\n',
    });
    idl.instructions[0].args[0].type = 'u32';
    idl.metadata.address = '7ETEzMGTJ51jLc83g1GoHqUtF6oVm7aeNosJbNmg2ZPt';
    idl.accounts = [];
    writeFileSync(file, JSON.stringify(idl));
    const line = (address: string) => `instruction buy_item of shop (${address})`;
    expect(await flows('nodes', 'update', 'idl', file, '--yes')).toEqual({
      code: 0,
      stdout: 'shop_buy_item  0.1.0  solana  effects once  10 inputs, 5 outputs\n' +
        '  input amount: u16, now u32\n' +
        `  what it does: ${line('78oNCNqC5C3kACQyh2xYJZNR5eD3BFq1UzwU5AcBGR6w')}, now ${line(idl.metadata.address)}\n`,
      stderr: 'no longer in the description: shop_shelf_account\nstored 1 definitions\n',
    });
    expect(await flows('nodes', 'remove', 'shop_buy_item', 'shop_shelf_account')).toMatchObject({ code: 0 });
    expect(await flows('nodes', 'add', 'idl', EXAMPLE, '--print')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the document is no IDL of Anchor, Shank or Codama'),
    });
  });

  it('adds, lists, updates and removes definitions', async () => {
    store(pets('2'));
    expect(await flows('nodes', 'add', 'openapi', file, '--prefix', 'my_')).toEqual({
      code: 0,
      stdout: 'my_listPets  2  openapi  effects none  1 inputs, 3 outputs\n' +
        'my_savePets  2  openapi  effects idempotent  0 inputs, 3 outputs\n',
      stderr: 'refused: POST /pets: the reference other.json leads to another document\nstored 2 definitions\n',
    });
    const update = ['nodes', 'update', 'openapi', file, '--prefix', 'my_'];
    expect((await flows(...update, '--yes')).stderr).toContain('No definition has changed.');
    expect(await flows('nodes', 'update', 'openapi', file, '--prefix', 'mine_', '--yes')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('You have no node of this description.'),
    });
    await owner.client.from('nodes').update({ data: { ...await dataOf('my_savePets'), effects: 'once' } })
      .eq('node_id', 'my_savePets').throwOnError();
    const parameters = [{ name: 'tag', in: 'query', required: true, schema: { type: 'integer' } }, {
      name: 'at',
      in: 'query',
    }];
    store(pets('2', { parameters }));
    const shown = 'my_listPets  2  openapi  effects none  2 inputs, 3 outputs\n' +
      '  input tag: string, now i64\n  input tag is required now\n  input at is new\n';
    expect(await flows(...update)).toMatchObject({ code: 2, stdout: shown });
    expect(await dataOf('my_listPets')).toMatchObject({ implementation: { parameters: [{ name: 'tag' }] } });
    expect(await flows(...update, '--yes')).toMatchObject({
      code: 0,
      stdout: shown,
      stderr: expect.stringContaining('stored 1 definitions'),
    });
    expect(await dataOf('my_savePets')).toMatchObject({ effects: 'once' });
    const { paths: { '/pets': { get } }, ...others } = pets('3', { parameters });
    store({ ...others, paths: { '/pets': { get } } });
    expect(await flows(...update, '--yes')).toMatchObject({
      stdout: expect.stringContaining('  version: 2, now also 3\n'),
      stderr: expect.stringContaining('no longer in the description: my_savePets'),
    });
    expect((await flows('nodes')).stdout.split('\n').map((line) => line.split('  ').slice(0, 2).join(' '))).toEqual(
      ['my_listPets 2', 'my_listPets 3', 'my_savePets 2', ''],
    );
    expect((await flows('nodes', 'remove', 'my_listPets', '--version', '2')).stdout).toBe('removed my_listPets\n');
    expect(await json('nodes', 'remove', 'my_listPets', 'my_savePets')).toEqual({
      removed: ['my_listPets', 'my_savePets'],
    });
    expect((await flows('nodes')).stderr).toBe('There are no definitions to show.\n');
    expect(await flows('nodes', 'remove', 'my_listPets')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('(definition_not_found)'),
    });
  });

  it('asks before an update, and takes y', async () => {
    store(pets('2'));
    await flows('nodes', 'add', 'openapi', file, '--only', 'listPets');
    store(pets('2', { parameters: [] }));
    const child = launch(['nodes', 'update', 'openapi', file]);
    child.stdin!.end('y\n');
    expect(await child.ended).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Store 1 definitions? [y/N]\nstored 1 definitions\n'),
    });
    await flows('nodes', 'remove', 'listPets');
  });

  it('adds the tools of an MCP server, updates them, and says what can not be a node', async () => {
    const description = { title: 'Buy', inputSchema: { type: 'object', properties: { item: { type: 'string' } } } };
    const buy = { description, call: () => ({ content: [] }) };
    const odd = {
      description: { inputSchema: { type: 'object', 'x-mcp-header': 'A' } },
      call: () => ({ content: [] }),
    };
    const tools: Record<string, TestTool> = { buy, odd };
    const server = await startMcpServer(tools);
    try {
      const line = 'my_buy  3  mcp  effects once  1 inputs, 2 outputs\n';
      expect(await flows('nodes', 'add', 'mcp', server.url, '--prefix', 'my_')).toMatchObject({
        code: 0,
        stdout: line,
        stderr: 'refused: odd: x-mcp-header of the arguments names no argument\nstored 1 definitions\n',
      });
      tools.buy = { ...buy, description: { ...description, inputSchema: { type: 'object' } } };
      expect(await flows('nodes', 'update', 'mcp', server.url, '--prefix', 'my_', '--only', 'buy', '--yes'))
        .toMatchObject({ stdout: `${line.replace('1 inputs', '0 inputs')}  input item is gone\n` });
      expect(await json('nodes', 'add', 'mcp', server.url, '--print', '--only', 'buy')).toMatchObject({
        definitions: [{ type: 'mcp', data: { node_id: 'buy', implementation: { url: server.url, tool: 'buy' } } }],
        refused: [],
      });
      expect((await flows('nodes', 'add', 'mcp', `${server.url}x`, '--only', 'none')).stderr)
        .toBe('error: The description has no operation none.\n');
      expect(await flows('nodes', 'add', 'mcp', server.url, '--only', 'buy', '--only', 'bye')).toMatchObject({
        code: 2,
        stderr: 'error: The description has no operation bye.\n',
      });
      expect(await json<unknown[]>('nodes')).toHaveLength(1);
    } finally {
      server.close();
      await owner.client.from('nodes').delete().eq('user_id', owner.id).throwOnError();
    }
  });

  it('reads an address by the project, and adds many definitions', async () => {
    const paths = Object.fromEntries(Array.from({ length: 250 }, (_, n) => [`/p${n}`, { get: { responses: {} } }]));
    const text = JSON.stringify({ openapi: '3.0.0', info: { title: 'Many' }, paths });
    const server = createServer((request, response) =>
      request.url === '/api' ? response.end(text) : response.writeHead(404).end()
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      expect((await flows('nodes', 'add', 'openapi', `${address}/api`)).stderr).toBe('stored 250 definitions\n');
      expect(await json<unknown[]>('nodes')).toHaveLength(250);
      expect(await flows('nodes', 'add', 'openapi', `${address}/none`)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('status code: 404 (document_unreadable)'),
      });
    } finally {
      server.close();
      await owner.client.from('nodes').delete().eq('user_id', owner.id).throwOnError();
    }
  });

  const dataOf = async (nodeId: string): Promise<Record<string, unknown>> =>
    (await owner.client.from('nodes').select('data').eq('node_id', nodeId).single().throwOnError())
      .data.data as Record<string, unknown>;
});

describe('flows deploy', () => {
  it('stores and deploys a new flow, or with --flow an existing one, and moves the tag of --tag', async () => {
    const changed = join(dir, 'changed.json');
    writeFileSync(changed, JSON.stringify({ ...JSON.parse(readFileSync(EXAMPLE, 'utf8')), name: 'Changed' }));
    const first = await flows('deploy', EXAMPLE);
    expect(first).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^flow {8}\d+\ndeployment {2}\S{36}\n$/),
    });
    const flowId = /\d+/.exec(first.stdout)![0];
    for (const tag of ['one', 'two']) {
      const second = await json<typeof shop>('deploy', changed, '--flow', flowId, '--tag', tag, '--strict');
      expect(second).toEqual({ flow_id: Number(flowId), deployment_id: expect.any(String), warnings: [] });
    }
    const { data } = await owner.client.from('flow_deployments_tags').select('tag').eq('entrypoint', Number(flowId));
    expect(data?.map(({ tag }) => tag).toSorted()).toEqual(['latest', 'one', 'two']);
  });

  it('takes over the settings of the deployment of --settings-from', async () => {
    const former = await json<typeof shop>('deploy', EXAMPLE, '--tag', 'stable');
    await owner.client.from('flow_deployments').update({ start_permission: 'Authenticated' })
      .eq('id', former.deployment_id).throwOnError();
    const flow = ['--flow', String(former.flow_id)];
    const kept = await json<typeof shop>('deploy', EXAMPLE, ...flow, '--settings-from', 'stable');
    expect(await json('read', kept.deployment_id)).toMatchObject({ start_permission: 'Authenticated' });
    expect(await flows('deploy', EXAMPLE, ...flow, '--settings-from', 'none')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The flow has no such deployment to take the settings from.'),
    });
    expect(await flows('deploy', EXAMPLE, '--settings-from', 'stable')).toMatchObject({ code: 2 });
  });

  it('prints warnings, which --strict makes an error', async () => {
    const flow = new FlowBuilder();
    flow.output('text', flow.node('nowhere', { outputs: ['text'] }).output('text'));
    const file = join(dir, 'warned.json');
    writeFileSync(file, JSON.stringify(flow.row()));
    const warned = await flows('deploy', file);
    expect(warned).toMatchObject({ code: 0, stderr: expect.stringMatching(/^warning: .*\(node_not_implemented\)\n$/) });
    const refused = await flows('deploy', file, '--strict');
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('(flow_invalid)') });
    // A further try changes the flow that the first one has stored.
    const [, stored] = /flows deploy \S+warned\.json --flow (\d+)\n$/.exec(refused.stderr)!;
    expect(await flows('deploy', file, '--flow', stored!)).toMatchObject({ code: 0 });
    expect((await flows('deploy', file, '--flow', stored!, '--strict')).stderr).not.toContain('The flow is stored');
  });
});

describe('flows start', () => {
  it("starts by flow, tag and deployment, with values of the inputs' types, and waits", async () => {
    for (const target of [String(shop.flow_id), `${shop.flow_id}@stable`, shop.deployment_id]) {
      const { code, stdout, stderr } = await flows('start', target, 'item=tea', 'quantity=3', '--wait');
      expect([code, stdout, stderr]).toEqual([0, 'total: 6.60\nreceipt: 3 x tea at 2.20 = 6.60\n', '']);
    }
    const { flow_run_id, ...rest } = await json<{ flow_run_id: string }>('start', shop.deployment_id, '--wait');
    expect(rest).toEqual({ token: expect.stringMatching(/^fr_/), output: { M: expect.any(Object) } });
    expect(await json('output', flow_run_id)).toEqual({ output: (rest as { output?: unknown }).output });
  });

  it('prints run and token, with which anybody can wait and stop', async () => {
    const { code, stdout } = await flows('start', shop.deployment_id, 'item:="tea"', 'quantity:=2');
    const [, run = '', token = ''] = /^run {4}(\S{36})\ntoken {2}(fr_\S+)\n$/.exec(stdout) ?? [];
    expect(code).toBe(0);
    const { FLOWS_API_KEY: _, ...nobody } = environment;
    expect(await call(['output', run, '--token', token], nobody)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('2 x tea'),
    });
    expect(await call(['stop', run, '--token', token], nobody)).toMatchObject({ code: 0 });
    expect(await call(['output', run], nobody)).toMatchObject({ code: 1 });
  });

  it('starts without an account with --public-key, even as a user', async () => {
    const key = makeKeypair().publicKey;
    // The owner may start this deployment; a caller with a public key may not.
    expect(await flows('start', shop.deployment_id, '--public-key', key)).toMatchObject({ code: 1, stdout: '' });
    expect(await flows('read', shop.deployment_id, '--public-key', key)).toMatchObject({ code: 1, stdout: '' });
    await owner.client.from('flow_deployments').update({ start_permission: 'Anonymous' }).eq('id', shop.deployment_id)
      .throwOnError();
    const { FLOWS_API_KEY: _, ...nobody } = environment;
    const args = ['start', shop.deployment_id, 'item=tea', '--public-key', key, '--wait'];
    expect(await call(args, nobody)).toMatchObject({ code: 0, stdout: expect.stringContaining('tea') });
  });

  it('replaces the inputs of a run that has not begun, as a guest with --token', async () => {
    const debounce = (debounce_seconds: number | null) =>
      owner.client.from('flow_deployments').update({ debounce_seconds }).eq('id', shop.deployment_id).throwOnError();
    const args = ['start', shop.deployment_id, '--public-key', makeKeypair().publicKey];
    await debounce(3600);
    const { token, ...run } = await json<{ flow_run_id: string; token: string }>(...args, 'item=tea');
    expect(await json(...args, 'item=milk', '--token', token)).toEqual({ token, ...run });
    const other = await json<{ flow_run_id: string }>(...args, 'item=milk');
    expect(other.flow_run_id).not.toBe(run.flow_run_id);
    await debounce(null);
    for (const id of [run.flow_run_id, other.flow_run_id]) await flows('stop', id);
  });

  it('returns the same run for the same --idempotency-key', async () => {
    const args = ['start', shop.deployment_id, '--idempotency-key', 'the same'];
    expect(await json(...args)).toEqual(await json(...args));
  });

  it('takes a --priority, also a negative one', async () => {
    expect(await flows('start', shop.deployment_id, '--priority', '60', '--wait')).toMatchObject({ code: 0 });
    expect(await flows('start', shop.deployment_id, '--priority=-60', '--wait')).toMatchObject({ code: 0 });
    expect(await flows('start', shop.deployment_id, '--priority=3601')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--priority must be a whole number from -3600 to 3600.'),
    });
  });

  it('ends with the exit code of a run without an output', async () => {
    const failed = await flows('start', shop.deployment_id, 'item=milk', '--wait');
    expect(failed).toMatchObject({ code: 3, stdout: '' });
    expect(failed.stderr).toMatch(/^error: The run has failed. \(run_failed\)\n {2}.*milk is not on the price list/);
    const run = await startWaiting();
    const late = await flows('output', run, '--timeout', '1');
    expect(late).toMatchObject({ code: 5, stderr: expect.stringContaining(`flows output ${run}`) });
    expect(await flows('stop', run, '--reason', 'enough', '--grace', '0')).toMatchObject({ code: 0 });
    const stopped = await flows('output', run, '--json');
    expect(stopped).toMatchObject({ code: 4, stdout: '' });
    expect(JSON.parse(stopped.stderr)).toMatchObject({ code: 'run_stopped', status: 409, details: expect.any(Object) });
  });

  it('does not stop the run at Ctrl-C', async () => {
    const run = await startWaiting();
    const proxy = await startFlakyProxy(environment.FLOWS_URL!);
    const child = launch(['output', run], { ...environment, FLOWS_URL: proxy.url });
    await waitFor(() => proxy.isUsed() || undefined);
    child.kill('SIGINT');
    expect(await child.ended).toMatchObject({ code: 130, stderr: expect.stringContaining(`flows output ${run}`) });
    await proxy.close();
    expect(await json<{ id: string }[]>('runs', '--status', 'running')).toContainEqual(
      expect.objectContaining({ id: run }),
    );
    await flows('stop', run);
  });
});

describe('flows read, runs and types', () => {
  it('read shows the inputs and outputs of a deployment', async () => {
    const { stdout } = await flows('read', `${shop.flow_id}@stable`);
    expect(stdout).toMatch(/^deployment {2}\S{36}\nflow {8}\d+\nname {8}Order total\n/);
    expect(stdout).toMatch(/\ninput {7}item: /);
    expect(stdout).toMatch(/\noutput {6}total: /);
    expect(await json('read', shop.deployment_id)).toMatchObject({ deployment_id: shop.deployment_id });
  });

  it('runs lists the runs of a flow, a tag and a deployment', async () => {
    const { flow_run_id } = await json<{ flow_run_id: string }>('start', shop.deployment_id);
    await flows('output', flow_run_id);
    for (const target of [String(shop.flow_id), `${shop.flow_id}@stable`, shop.deployment_id]) {
      const [newest] = await json<{ id: string }[]>('runs', target, '--limit', '1');
      expect(newest).toMatchObject({ id: flow_run_id, status: 'succeeded' });
    }
    const { stdout } = await flows('runs', '--limit', '2');
    expect(stdout).toMatch(new RegExp(`^${flow_run_id} {2}succeeded {2}\\S+ {2}\\d+ ms\\n.*\\n$`));
    const none = ['runs', '--before', flow_run_id, '--status', 'queued'];
    expect(await json(...none)).toEqual([]);
    expect(await flows(...none)).toEqual({ code: 0, stdout: '', stderr: 'There are no runs to show.\n' });
  });

  it('types prints TypeScript', async () => {
    const { stdout } = await flows('types', shop.deployment_id, '--name', 'Shop');
    expect(stdout).toMatch(/^export interface Shop \{\n {2}inputs: \{\n/m);
    // Scripts have inputs and outputs of any type.
    expect(stdout).toContain('\n    /** Default: 2 */\n    quantity?: PlainValue;\n');
    expect(stdout).toContain('\n    receipt: PlainValue;\n');
    const flow = new FlowBuilder();
    flow.output('out', flow.range(flow.input('end')));
    const typed = await flows('types', await deploy(owner, await storeFlow(owner, flow)), '--name', 'Range');
    expect(typed.stdout).toMatch(/\n {4}end: number \| bigint.*;\n[^]*\n {4}out: PlainValue\[\];\n/);
    expect(await json('types', shop.deployment_id)).toEqual({
      source: expect.stringContaining('interface OrderTotal'),
    });
  });
});

it('without an API key, flows says that the call was unauthenticated', async () => {
  const { FLOWS_URL, FLOWS_KEY } = environment;
  expect(await call(['list'], { FLOWS_URL: FLOWS_URL!, FLOWS_KEY: FLOWS_KEY! })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('(42501)\nhint: Without FLOWS_API_KEY, calls are unauthenticated.'),
  });
});

describe('flows tag, tool and logs', () => {
  it('tool makes a flow a tool, changes it and takes it back', async () => {
    const id = String(await storeFlow(owner, textFlow()));
    const read = async () =>
      (await owner.client.from('flows').select('tool_name, tool_tag, tool_description').eq('id', Number(id))
        .single().throwOnError()).data;
    const address = `${inject('stack').API_URL}/functions/v1/mcp`;
    expect(await flows('tool', id, 'from_the_shell')).toMatchObject({
      code: 0,
      stdout: `from_the_shell is a tool at ${address}\n`,
      stderr: `warning: flow ${id} has no deployment with the tag latest, so assistants don't see the tool yet\n`,
    });
    expect(await flows('tool', String(shop.flow_id), 'from_the_shell')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: tool_name: another flow of yours has this name\. \(23505\)\n/),
    });
    expect(await read()).toEqual({ tool_name: 'from_the_shell', tool_tag: 'latest', tool_description: '' });
    const deployed = await deploy(owner, Number(id));
    await flows('tag', deployed, 'beta');
    expect(await json('tool', id, 'renamed', '--tag', 'beta', '--description', 'Makes text.'))
      .toEqual({ flow: Number(id), tool_name: 'renamed', address });
    expect(await read()).toEqual({ tool_name: 'renamed', tool_tag: 'beta', tool_description: 'Makes text.' });
    expect(await flows('tool', id, '--off')).toMatchObject({ code: 0, stdout: `${id} is no tool\n` });
    expect(await read()).toMatchObject({ tool_name: null });
  });

  it('tag moves a tag', async () => {
    const { deployment_id } = await json<typeof shop>('deploy', EXAMPLE, '--flow', String(shop.flow_id));
    expect(await flows('tag', deployment_id, 'beta')).toMatchObject({ code: 0, stdout: `beta is ${deployment_id}\n` });
    expect(await json('tag', shop.deployment_id, 'beta')).toEqual({ deployment_id: shop.deployment_id, tag: 'beta' });
    expect(await json('read', `${shop.flow_id}@beta`)).toMatchObject({ deployment_id: shop.deployment_id });
  });

  it('logs --follow prints each line as it comes, until the run has ended', async () => {
    const flow = new FlowBuilder();
    const printed = flow.use('print', { print: flow.input('n') }, { title: 'print' }).output('__print_output');
    flow.output('out', flow.wait(printed, 3_000));
    const deployment = await deploy(owner, await storeFlow(owner, flow));
    const { flow_run_id } = await json<{ flow_run_id: string }>('start', deployment, 'n:="the first line"');
    const child = launch(['logs', flow_run_id, '--follow']);
    let seen = '';
    child.stdout!.on('data', (chunk) => seen += chunk);
    await waitFor(() => seen.includes('the first line') || undefined);
    expect(child.exitCode).toBeNull();
    const { code, stdout } = await child.ended;
    expect(code).toBe(0);
    expect(stdout.split('the first line')).toHaveLength(2);
    expect(await flows('logs', flow_run_id)).toMatchObject({ code: 0, stdout });
    const lines = (await flows('logs', flow_run_id, '--json')).stdout.trim().split('\n').map((line) =>
      JSON.parse(line)
    );
    expect(lines.map((line) => line.log_index)).toEqual(lines.map((_, index) => index));
    const none = ['logs', flow_run_id, '--after', String(lines.length - 1)];
    expect(await flows(...none)).toEqual({ code: 0, stdout: '', stderr: 'There are no lines to show.\n' });
    expect(await flows(...none, '--json')).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('foreign text cannot control the terminal, nor look like a line of flows', async () => {
    const evil = '\u001b[2J\u001b]0;title\u0007\r\u0085\u202eabc\nerror: all is lost \u009b31m';
    const flow = new FlowBuilder();
    flow.output('out', flow.use('print', { print: flow.input('n') }, { title: 'print' }).output('__print_output'));
    const deployment = await deploy(owner, await storeFlow(owner, flow, { name: evil.slice(0, 20) }));
    const args = ['start', deployment, `n:=${JSON.stringify(evil)}`, '--wait'];
    const started = await flows(...args);
    const { flow_run_id } = await json<{ flow_run_id: string }>('start', deployment, `n:=${JSON.stringify(evil)}`);
    await flows('output', flow_run_id);
    const all = [started, await flows('logs', flow_run_id), await flows('logs', flow_run_id, '--json')];
    all.push(await flows('read', deployment), await flows('types', deployment), await flows(...args, '--json'));
    all.push(await flows('start', shop.deployment_id, `item:=${JSON.stringify(evil)}`, '--wait'));
    for (const { stdout, stderr } of all) {
      expect(stdout + stderr).not.toMatch(/[^\n\P{Cc}]|\p{Bidi_Control}/u);
      expect(stdout + stderr).not.toMatch(/^error: all is lost/m);
    }
    expect(started.stdout).toContain('\\u001b[2J');
    // The output of --json holds the text unchanged.
    expect(JSON.parse(all[2]!.stdout.split('\n').find((line) => line.includes('all is lost'))!).content).toBe(evil);
  });
});

describe('flows run-node', () => {
  it('runs one node with inputs by hand, or with the outputs of a run, and prints its outputs', async () => {
    const flow = new FlowBuilder();
    const pair = flow.use('to_vec', { first: flow.foreach(flow.json([1, 2])), second: flow.json('x') });
    const flowId = await storeFlow(owner, flow);
    const run = (...args: string[]) => flows('run-node', String(flowId), pair.id, ...args);
    expect(await run('--input', 'first=7', '--input', 'second:="8"')).toMatchObject({
      code: 0,
      stdout: 'result: [7,"8"]\n',
    });
    const client = createFlowClient(owner.client);
    const whole = await client.runNode(flowId, flow.nodes.map(({ id }) => id));
    await client.output(whole);
    const fed = await run('--from', whole.flow_run_id, '--input', 'second=y');
    expect(fed).toMatchObject({ code: 0, stdout: '#0\nresult: [1,"y"]\n#1\nresult: [2,"y"]\n' });
    const without = await run();
    expect(without).toMatchObject({ code: 3, stdout: '' });
    expect(without.stderr).toContain('value_missing: no value for input "first"');
  });
});

describe('flows inputs and submit', () => {
  /** Starts a waiting run, and returns the line of its input: run, node, time, URL. */
  const startAsking = async () => {
    const deployment = await deploy(owner, await storeFlow(owner, askingFlow()));
    const { flow_run_id } = await json<{ flow_run_id: string }>('start', deployment);
    const [line] = await waitFor(async () => {
      const { stdout } = await flows('inputs', flow_run_id);
      return stdout === '' ? undefined : stdout.trim().split('\n');
    });
    const [run, , , url] = line!.split('  ');
    expect([run, url]).toEqual([flow_run_id, expect.stringMatching(/\/flow\/submit\/fi_/)]);
    return { run: flow_run_id, url: url! };
  };
  it('shows the question with its choices, and the description below', async () => {
    const question = { title: 'Pay it?', description: 'To: Ada\nSum: 7', choices: ['Yes', 'No'] };
    const run = await json<{ flow_run_id: string }>(
      'start',
      await deploy(owner, await storeFlow(owner, askingFlow(question))),
    );
    const shown = await waitFor(async () => {
      const { stdout } = await flows('inputs', run.flow_run_id);
      return stdout === '' ? undefined : stdout;
    });
    expect(shown).toMatch(/^\S+  \S+  \S+  \S+fi_\S+  Pay it\? \(Yes, No\)\n  To: Ada\n  Sum: 7\n$/);
    await flows('stop', run.flow_run_id);
  });

  const nobody = () => ({ FLOWS_URL: environment.FLOWS_URL!, FLOWS_KEY: environment.FLOWS_KEY! });

  it.each([
    ['yes', { S: 'yes' }],
    [':={"ok": true, "n": 18446744073709551615}', { M: { ok: { B: true }, n: expect.anything() } }],
  ])('anybody with the URL can answer %s once', async (answer, value) => {
    const { run, url } = await startAsking();
    expect(await json<object[]>('inputs')).toContainEqual(expect.objectContaining({ flow_run_id: run, url }));
    expect(await call(['submit', url, answer], nobody())).toEqual({ code: 0, stdout: 'submitted\n', stderr: '' });
    expect(await json('output', run)).toMatchObject({ output: { M: { answer: value } } });
    expect(await flows('inputs', run)).toEqual({ code: 0, stdout: '', stderr: 'No run waits for an input.\n' });
    expect(await flows('submit', url, answer)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('(pending_input_answered)'),
    });
  });

  it('cancels an input by the token alone', async () => {
    const { run, url } = await startAsking();
    const token = url.split('/').at(-1)!;
    expect(await call(['submit', token, '--cancel', '--json'], nobody())).toMatchObject({
      code: 0,
      stdout: '{"success":true}\n',
    });
    expect(await flows('output', run)).toMatchObject({ code: 3, stderr: expect.stringContaining('input_cancelled') });
  });
});

describe('flows schedule', () => {
  it('makes a schedule, lists, pauses, resumes and deletes it', async () => {
    const target = `${shop.flow_id}@stable`;
    const args = ['schedule', target, 'item=tea', 'quantity:=3', '--cron', '30 6 * * MON-FRI'];
    const made = await flows(...args, '--zone', 'Europe/Berlin', '--policy', 'skip');
    const [, id = '', next = ''] = /^schedule {2}(\S{36})\nnext {6}(\S+)\n$/.exec(made.stdout) ?? [];
    expect([made.code, made.stderr]).toEqual([0, '']);
    const listed = async () => (await flows('schedules')).stdout.split('\n').find((line) => line.startsWith(id));
    expect(await listed()).toBe(`${id}  ${target}  ${next}  30 6 * * MON-FRI  Europe/Berlin`);
    expect(await json<object[]>('schedules')).toContainEqual(
      expect.objectContaining({ id, policy: 'skip', inputs: {}, values: { item: 'tea', quantity: 3 } }),
    );
    expect(await flows('schedule-pause', id)).toEqual({ code: 0, stdout: `paused schedule ${id}\n`, stderr: '' });
    expect(await listed()).toBe(`${id}  ${target}  paused  30 6 * * MON-FRI  Europe/Berlin`);
    expect(await json('schedule-resume', id)).toMatchObject({ id, is_active: true, next_start_at: next });
    expect(await json('schedule-delete', id)).toEqual({ id, success: true });
    expect(await listed()).toBeUndefined();
  });

  it('prints the error of the backend for a wrong one', async () => {
    expect(await flows('schedule', String(shop.flow_id), '--cron', '30 25 * * *')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^error: cron.hour: has "25".*\(column_invalid\)/),
    });
    expect(await flows('schedule', String(shop.flow_id), '--cron', '0 6 * * *', '--zone', 'Mars/North')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('(column_invalid)'),
    });
  });
});

describe('flows rows', () => {
  it('prints the statement that makes a row start, and lists, pauses, resumes and deletes row starts', async () => {
    const sql = connect(inject('stack').DB_URL);
    const table = `it's "${process.pid}"`;
    try {
      await sql`create table public.${sql(table)} (id integer primary key, "a, b" text)`;
      const added = await flows(
        'rows',
        'add',
        `public."${table.replaceAll('"', '""')}"`,
        `${shop.flow_id}@stable`,
        '--input',
        'item',
        '--events',
        'insert, update',
        '--per',
        'row',
        '--columns',
        'id',
        '--on-refusal',
        'record',
      );
      expect(added).toMatchObject({ code: 0, stderr: '' });
      expect(added.stdout).toMatch(/^select private\.start_flow_on_rows\('public\."it''s/);
      const [{ start_flow_on_rows: id }] = await sql.unsafe<[{ start_flow_on_rows: string }]>(added.stdout);
      const line = `${id}  ${shop.flow_id}@stable  item  public.${table}  insert,update`;
      expect((await flows('rows')).stdout).toContain(`${line}\n`);
      expect(await flows('rows', 'pause', id)).toEqual({ code: 0, stdout: `paused row start ${id}\n`, stderr: '' });
      expect((await flows('rows', 'list')).stdout).toContain(`${line}  paused\n`);
      expect(await flows('rows', 'resume', id)).toEqual({ code: 0, stdout: `resumed row start ${id}\n`, stderr: '' });
      await sql`insert into public.${sql(table)} values (1, repeat('x', 1100000))`;
      expect((await flows('rows')).stdout).toContain(`${line}  refused: 1  last error: inputs_too_large: `);
      expect(JSON.parse((await flows('rows', '--json')).stdout)).toContainEqual(
        expect.objectContaining({ id, table_name: table, refused: 1 }),
      );
      expect(await flows('rows', 'delete', id)).toEqual({ code: 0, stdout: `deleted row start ${id}\n`, stderr: '' });
      expect((await flows('rows')).stdout).not.toContain(id);
    } finally {
      await sql`drop table public.${sql(table)}`;
      await sql.end();
    }
  });
});

describe('flows webhook', () => {
  it('makes a webhook, shows its URL once, lists and deletes it', async () => {
    const made = await flows('webhook', shop.deployment_id, '--input', 'item');
    const [, id = '', url = ''] = /^webhook {2}(\S{36})\nurl {6}(http\S+)\n$/.exec(made.stdout) ?? [];
    expect([made.code, made.stderr]).toEqual([0, '']);
    const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '"tea"' };
    const started = await fetch(url, request);
    expect(await flows('output', (await started.json()).flow_run_id)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('2 x tea'),
    });
    const listed = await flows('webhooks');
    const token = url.split('/').at(-1)!;
    expect(listed.stdout).toContain(`${id}  ${token.slice(0, 10)}…  ${shop.deployment_id}  item  unsigned\n`);
    expect(listed.stdout + (await flows('webhooks', '--json')).stdout).not.toContain(token);
    expect(await flows('webhook-delete', id)).toEqual({ code: 0, stdout: `deleted webhook ${id}\n`, stderr: '' });
    expect((await fetch(url, request)).status).toBe(404);
  });

  it('accepts headers, and reads the secret from a file', async () => {
    const file = join(dir, 'secret.txt');
    writeFileSync(file, 'a secret of ours\n');
    const args = ['webhook', String(shop.flow_id), '--input', 'item', '--headers', 'X-GitHub-Event, X-Other'];
    const made = await json<{ id: string; url: string }>(...args, '--verification', 'github', '--secret-file', file);
    expect(made).toMatchObject({
      flow: shop.flow_id,
      tag: 'latest',
      headers: ['x-github-event', 'x-other'],
      verification: 'github',
    });
    const body = '"tea"';
    const statusWith = async (secret: string) => {
      const signature = createHmac('sha256', secret).update(body).digest('hex');
      const headers = { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` };
      return (await fetch(made.url, { method: 'POST', body, headers })).status;
    };
    expect([await statusWith('a guess'), await statusWith('a secret of ours')]).toEqual([401, 202]);
    await flows('webhook-delete', made.id);
  });

  it('makes a webhook that passes the whole request and responds', async () => {
    const args = ['webhook', String(shop.flow_id), '--input', 'item', '--whole-request', '--respond'];
    const made = await json<{ id: string }>(...args);
    expect(made).toMatchObject({ whole_request: true, respond: true, headers: [] });
    await flows('webhook-delete', made.id);
  });
});

describe('flows connections', () => {
  it('stores a connection with a secret of the environment, tests, lists and deletes it', async () => {
    const server = createServer((request, response) => {
      response.writeHead(request.headers.authorization === 'Bearer a-token-of-ours' ? 204 : 401).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const upsert = ['connections', 'upsert', 'shop', '--kind', 'bearer', '--hosts', `${host}, api.example.com`];
      expect(await call(upsert, { ...environment, FLOWS_SECRET: 'a-token-of-ours' }))
        .toEqual({ code: 0, stdout: 'connection  shop\n', stderr: '' });
      expect(await flows('connections', 'test', 'shop', `http://${host}/`)).toMatchObject({ stdout: 'status  204\n' });
      expect((await flows('connections')).stdout).toBe(`shop  bearer  ${host},api.example.com  unused  test: 204\n`);
      expect((await flows('connections', 'list', '--json')).stdout).not.toContain('a-token-of-ours');
      expect((await flows('connections', 'delete', 'shop')).stdout).toBe('deleted connection shop\n');
      expect((await flows('connections')).stderr).toBe('There are no connections to show.\n');
    } finally {
      server.close();
    }
  });
});

describe('flows as a process', () => {
  it.each([
    [['--help']],
    [['deploy', 'nowhere.json']],
    [['start', UUID, '--json']],
  ])('prints and ends like the function of the other tests: %j', async (args) => {
    expect(await launch(args).ended).toEqual(await call(args));
  });

  it('ends without an error when its reader closes the pipe', async () => {
    const { ended, stdout } = launch(['--help']);
    stdout!.destroy();
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('a mistake is reported with the expected form:', () => {
  it.each(
    [
      [['deploy'], 2, /An argument is missing\.\n {2}Usage: flows deploy <flow.json>/],
      [['deploy', 'nowhere.json'], 2, /nowhere\.json can't be read: ENOENT/],
      [['deploy', join(projectDir, 'README.md')], 2, /README\.md must hold JSON/],
      [
        ['deploy', join(projectDir, 'package.json')],
        2,
        /This is not a flow as an editor exports it: nodes: must be an array/,
      ],
      [['deploy', EXAMPLE, '--flow', 'seven'], 2, /--flow must be a whole number from 1 to/],
      [['deploy', EXAMPLE, '--flow', '2147483647'], 1, /\(flow_not_found\)/],
      [['start'], 2, /An argument is missing/],
      [
        ['start', 'shop'],
        2,
        /shop must be the id of a deployment \(a UUID\), or of a flow \(a number\), or <flow>@<tag>/,
      ],
      [['start', UUID], 1, /\(deployment_not_found\)\nhint: Check the id/],
      [['start', '7', '--tag', 'x'], 2, /There is no option --tag: write the tag after the flow, as in 7@stable/],
      [['logs', UUID, '--tag', 'x'], 2, /There is no option --tag\. flows logs has/],
      [['start', '1', 'item'], 2, /item must be key=value or key:=json/],
      [['start', '1', 'item:=tea'], 2, /item:= takes JSON/],
      [['start', '1', 'a:=1', 'a:=2'], 2, /The input a is given twice/],
      [['start', '1', '--wait=yes'], 2, /--wait takes no value/],
      [['start', '1', '--public-key'], 2, /--public-key takes key/],
      [['start', '1', '--timeout', '5'], 2, /--timeout may be given only with --wait/],
      [['deploy', EXAMPLE, '--tag', 'no tag'], 2, /A tag must be 1 to 128 letters/],
      [['output', 'x'], 2, /x must be the id of a run, a UUID/],
      [['output', UUID], 1, /\(flow_run_not_found\)/],
      [['output', UUID, '--timeout', '-1'], 2, /--timeout takes seconds/],
      [['read', UUID], 1, /\(deployment_not_found\)/],
      [['read', UUID, 'a', 'b'], 2, /There are too many arguments\. Remove: a b/],
      [['read', '1@no tag'], 2, /1@no tag must be the id/],
      [['runs', '--status', 'done'], 2, /--status must be one of queued, running, waiting, succeeded, failed, stopped/],
      [['runs', '--limit', '0'], 2, /--limit must be a whole number from 1 to 1000/],
      [['runs', '--before', 'x'], 2, /x must be the id of a run/],
      [['logs', UUID], 1, /\(flow_run_not_found\)/],
      [['logs', UUID, '--folow'], 2, /There is no option --folow\. flows logs has --follow, --after, --json, --help/],
      [['logs', UUID, '-f'], 2, /There is no option -f/],
      [['stop', UUID], 1, /\(flow_run_not_found\)/],
      [['stop', UUID, '--grace', '1h'], 2, /--grace must be a whole number from 0 to 300000/],
      [['stop', UUID, '--reason', 'a', '--reason', 'b'], 2, /--reason is given twice/],
      [['tag', UUID], 2, /Usage: flows tag <deployment> <tag>/],
      [['tag', UUID, 'stable'], 1, /\(deployment_not_found\)/],
      [['tag', UUID, 'no tag'], 2, /A tag must be 1 to 128 letters/],
      [['tool', '2147483647', 'a'], 1, /\(flow_not_found\)/],
      [['pull', dir, 'x'], 2, /x must be the id of a flow, a number/],
      [['pull', EXAMPLE], 2, /example_flow\.json can't be made: EEXIST/],
      [['tool', 'x', 'a'], 2, /x must be the id of a flow/],
      [['tool', '7'], 2, /Give either the name of the tool or --off/],
      [['tool', '7', 'a', '--off'], 2, /Give either the name of the tool or --off/],
      [['tag', 'x', 'stable'], 2, /x must be the id of a deployment/],
      [['types', UUID], 1, /\(deployment_not_found\)/],
      [['types', UUID, '--name', '7up'], 2, /--name must be the name of a type/],
      [['types', 'x'], 2, /x must be the id/],
      [['inputs', 'x'], 2, /x must be the id of a run/],
      [['submit', 'x'], 2, /submit takes either a value or --cancel/],
      [['submit', 'x', 'yes', '--cancel'], 2, /submit takes either a value or --cancel/],
      [['submit', 'x', 'yes'], 2, /must be the URL of a pending input: it ends in/],
      [['submit', 'x', ':=yes'], 2, /:= takes JSON/],
      [['submit', `fi_${'A'.repeat(43)}`, 'yes'], 1, /\(pending_input_not_found\)/],
      [['schedule', '7'], 2, /--cron must be given: five fields/],
      [['schedule', '7', '--cron', '0 6 * * *', '--policy', 'late'], 2, /--policy must be catch_up_one or skip/],
      [['schedule', UUID, '--cron', '0 6 * * *'], 1, /\(deployment_not_found\)/],
      [['schedule-pause', 'x'], 2, /x must be the id of a schedule/],
      [['schedule-resume', UUID], 1, /\(schedule_not_found\)/],
      [['schedule-delete', UUID], 1, /\(schedule_not_found\)/],
      [['webhook', '7'], 2, /--input must be given: the input that gets the JSON/],
      [['webhook', '7', '--input', 'a', '--verification', 'gitlab'], 2, /--verification must be one of standard_web/],
      [
        ['webhook', '7', '--input', 'a', '--secret-file', 'x'],
        2,
        /--secret-file may be given only with --verification/,
      ],
      [
        ['webhook', '7', '--input', 'a', '--verification', 'github', '--secret-file', 'nowhere.txt'],
        2,
        /nowhere\.txt can't be read: ENOENT/,
      ],
      [['webhook', UUID, '--input', 'a'], 1, /\(deployment_not_found\)/],
      [['webhook-delete', UUID], 1, /\(webhook_not_found\)/],
      [['rows', 'show'], 2, /There is no rows show/],
      [['rows', 'add', 'notes'], 2, /flows rows add takes 2 arguments/],
      [['rows', 'add', 'notes', UUID, '--events', 'insert', '--input', 'a'], 2, /names a flow, as 7 or 7@stable/],
      [['rows', 'constructor'], 2, /There is no rows constructor/],
      [['rows', 'add', 'notes', '7', '--input', 'a'], 2, /--events must be given/],
      [
        ['rows', 'add', 'notes', '7', '--input', 'a', '--events', 'insert, upsert'],
        2,
        /--events: upsert must be insert or/,
      ],
      [
        ['rows', 'add', 'notes', '7', '--input', 'a', '--events', 'insert', '--per', 'rows'],
        2,
        /--per: rows must be row or/,
      ],
      [['rows', 'add', 'notes', '7', '--events', 'insert'], 2, /--input must be given/],
      [['rows', '--events', 'insert'], 2, /--events may be given only with add/],
      [['rows', 'pause', 'x'], 2, /x must be the id of a row start/],
      [['rows', 'resume', UUID], 1, /\(row_start_not_found\)/],
      [['rows', 'delete', UUID], 1, /\(row_start_not_found\)/],
      [['connections', 'toString'], 2, /There is no connections toString/],
      [['connections', 'show'], 2, /There is no connections show/],
      [['connections', 'test', 'a'], 2, /flows connections test takes 2 arguments/],
      [['connections', 'upsert', 'a', '--kind', 'magic'], 2, /--kind must be one of bearer, basic/],
      [['connections', 'upsert', 'a', '--kind', 'bearer', '--hosts', 'a.example.com'], 2, /The secret is missing/],
      [['nodes', 'show'], 2, /There is no nodes show/],
      [['nodes', 'add', 'openapi'], 2, /flows nodes add takes openapi, idl or mcp, and a file or an address/],
      [['nodes', 'add', 'soap', 'a.json'], 2, /soap must be one of openapi, idl, mcp/],
      [['nodes', 'add', 'mcp', 'tools.json'], 2, /mcp takes an http or https address/],
      [['nodes', 'add', 'openapi', 'missing.json'], 2, /missing.json can't be read/],
      [['nodes', 'list', '--yes'], 2, /--yes may not be given with list/],
      [['nodes', 'update', 'openapi', 'a.json', '--effects', 'a=none'], 2, /--effects may not be given with update/],
      [['connections', 'delete', 'a'], 1, /\(connection_not_found\)/],
      [
        ['depoly'],
        2,
        /There is no command depoly\. There are login, list, pull, push, deploy, start, output, read, runs, logs, stop, redrive, run-node, inputs, submit, schedules, /,
      ],
    ] as const,
  )('flows %j ends with %i', async (args, code, says) => {
    const ended = await flows(...args);
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).toMatch(/^error: /);
    expect(ended.stderr).toMatch(says);
    expect(ended.stderr).not.toMatch(/\n\s+at /);
  });

  it('with --json in the shape of the backend', async () => {
    const { code, stdout, stderr } = await flows('start', UUID, '--json');
    expect([code, stdout]).toEqual([1, '']);
    expect(JSON.parse(stderr)).toEqual({
      code: 'deployment_not_found',
      message: expect.any(String),
      details: null,
      hint: null,
      status: 404,
      retryAfter: null,
    });
  });

  it('an unknown input, or a value of a wrong type', async () => {
    expect(await flows('start', shop.deployment_id, 'itme=tea')).toMatchObject({
      code: 2,
      stderr: 'error: The deployment has no input itme; it has item, quantity.\n',
    });
    expect(await flows('start', shop.deployment_id, 'quantity=many', '--wait')).toMatchObject({
      code: expect.toSatisfy((code) => code !== 0),
      stdout: '',
    });
  });
});

describe('the environment', () => {
  const rest = () => ({ FLOWS_URL: environment.FLOWS_URL!, FLOWS_KEY: environment.FLOWS_KEY! });

  it.each([
    ['a secret key', () => ({ ...rest(), FLOWS_KEY: inject('stack').SECRET_KEY }), /FLOWS_KEY holds a secret key/],
    ['the service role', () => ({ ...rest(), FLOWS_KEY: inject('stack').SERVICE_ROLE_KEY }), /holds a secret key/],
    ['a malformed API key', () => ({ ...rest(), FLOWS_API_KEY: 'sb_x' }), /FLOWS_API_KEY must be an API key: fk_/],
    [
      'an address that is none',
      () => ({ ...rest(), FLOWS_URL: 'localhost' }),
      /`url` must be the address of a project/,
    ],
  ])('with %s is refused before anything is sent', async (_what, env, says) => {
    const { code, stderr } = await call(['runs'], env());
    expect(code).toBe(2);
    expect(stderr).toMatch(says);
    expect(stderr).not.toContain(inject('stack').SECRET_KEY);
  });

  it('without a user, or with an unknown API key, gets the error of the backend', async () => {
    expect(await call(['start', '1'], rest())).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/\(unauthenticated\)\nhint: /),
    });
    expect(await call(['runs'], { ...rest(), FLOWS_API_KEY: 'fk_unknown' })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('(api_key_invalid)'),
    });
  });

  it('with the address of another server is reported with the answer of that', async () => {
    const server = createServer((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await call(['runs'], { ...environment, FLOWS_URL: url })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: GET .* was answered 200 with text\/html.*\(answer_invalid\)\nhint: /),
    });
    server.close();
    expect(await call(['runs'], { ...environment, FLOWS_URL: url })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/does not answer: .*ECONNREFUSED.*\(unreachable\)\nhint: /),
    });
  });
});

it('--help describes all commands and exit codes, and each command', async () => {
  const general = await flows('--help');
  expect(general.code).toBe(0);
  for (const args of [[], ['-h'], ['help']]) expect(await flows(...args)).toEqual(general);
  for (const code of Object.keys(exitCodes)) expect(general.stdout).toMatch(new RegExp(`^ {2}${code} `, 'm'));
  for (const [, name] of general.stdout.matchAll(/^ {2}([a-z-]+) {2,}/gm)) {
    const { code, stdout } = await flows(name!, '--help');
    expect((await flows(name!, '-h')).stdout).toBe(stdout);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(new RegExp(`^flows ${name}.*\\n[^]*--json[^]*Example:\\n`)),
    ]);
  }
});
