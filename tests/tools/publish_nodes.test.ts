import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { stackDir } from '../../platform/local_stack/running_stacks.ts';
import { projectDir } from '../../dev/stack/paths.ts';
import { findFreePort } from '../../dev/stack/ports.ts';
import { StackError } from '../../dev/stack/stack_error.ts';
import { claimStack } from '../../dev/stack/stack_record.ts';
import {
  type DefinitionFile,
  keyHeaders,
  projectNodesDir,
  publishNodes,
  type PublishSummary,
  readDefinitionFiles,
  readOptions,
  seedNodes,
} from '../../dev/nodes/publish_nodes.ts';
import { completeDefinition } from '../../dev/nodes/complete_definition.ts';
import { nodeDefinitionSchema } from '../../types/node_definition.ts';
import { npmScript } from '../support/npm_script.ts';
import { asStored, definitionOf, fixtureDefinitions, type JsonObject } from '../support/node_definitions.ts';
import { signUp } from '../support/people.ts';
import { rest } from '../support/rest.ts';
import { createApiKey } from '../support/tokens.ts';

const files = await readDefinitionFiles(projectNodesDir);
const definitions = files.map(({ text }) => JSON.parse(text));

// SAFETY: a definition of the project is an object.
const complete = (definition: JsonObject) => completeDefinition(definition) as JsonObject;

/** Runs `npm run nodes:publish -- <args>`. */
async function publish(...args: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, npmScript('nodes:publish', ...args), { cwd: projectDir });
  let output = '';
  child.stdout.on('data', (chunk) => output += chunk);
  child.stderr.on('data', (chunk) => output += chunk);
  const [code] = await once(child, 'close');
  return { code, output };
}

const byNodeId = (a: { node_id: string }, b: { node_id: string }) => a.node_id < b.node_id ? -1 : 1;

const nodeIds = definitions.map(({ data }) => data.node_id);

const storedBy = async (credential: Parameters<typeof rest>[1], owner: string) =>
  (await rest(`nodes?user_id=${owner}&node_id=in.(${nodeIds})`, credential)).body.toSorted(byNodeId);

describe('every native node', () => {
  it('is published under its node_id, also if its folder makes several nodes', () => {
    expect(files.map(({ name }) => name)).toEqual(nodeIds);
    expect(new Set(nodeIds).size).toBe(nodeIds.length);
    expect(nodeIds).toEqual(expect.arrayContaining(['const', 'rhai_script_0x1', 'rhai_script_5x5']));
  });

  it.each(definitions)('$data.node_id has a definition that zod accepts', (definition) => {
    expect(nodeDefinitionSchema.safeParse(definition).error?.issues ?? []).toEqual([]);
  });
});

it('a definition gets the members that it leaves out, and keeps its own', () => {
  const data = { node_id: 'a', version: '0.1', display_name: 'A', usage: { license: 'Apache-2.0' } };
  const given = { type: 'native', data, sources: [{ name: 'b', type: 'free' }], targets: [] };
  expect(completeDefinition({ ...given, targets: [{ name: 'c', type_bounds: [], required: true }] })).toEqual({
    ...given,
    data: {
      ...data,
      node_definition_version: '0.1',
      unique_id: '',
      related_to: [],
      resources: { source_code_url: '', documentation_url: '' },
      authors: [{ name: 'flow-deployments', contact: '' }],
      design: { width: 0, height: 0, icon_url: '', backgroundColor: '#ffffff', backgroundColorDark: '#000000' },
      options: {},
    },
    sources: [{ name: 'b', type: 'free', defaultValue: '' }],
    targets: [{ name: 'c', type_bounds: [], required: true, passthrough: false, defaultValue: '' }],
    'targets_form.json_schema': {},
    'targets_form.ui_schema': {},
  });
  const faulty = { data: null, sources: [1], targets: null, 'targets_form.json_schema': { properties: 1 } };
  expect(completeDefinition(faulty)).toMatchObject(faulty);
  const form = { type: 'object', properties: { b: { type: 'string' }, a: { title: 'A' } } };
  const formed = completeDefinition({ ...given, 'targets_form.json_schema': form });
  expect(formed).toMatchObject({
    'targets_form.json_schema': {
      type: 'object',
      properties: { b: { title: 'b', type: 'string' }, a: { title: 'A' } },
    },
    'targets_form.ui_schema': { 'ui:order': ['b', 'a'] },
  });
  const ordered = { 'ui:order': ['a', '*'], 'a': { 'ui:widget': 'textarea' } };
  expect(completeDefinition({ ...formed, 'targets_form.ui_schema': ordered })).toMatchObject({
    'targets_form.ui_schema': ordered,
  });
});

describe('nodes:publish', () => {
  it('publishes all native nodes with the service key, and does not change existing ones', async () => {
    const { API_URL, SECRET_KEY } = inject('stack');
    const seeded = await storedBy({}, 'is.null');
    const published = await publish('--url', `${API_URL}/`, '--key', SECRET_KEY);
    expect(published).toMatchObject({
      code: 0,
      output: expect.stringContaining(`0 created, ${files.length} merged, 0 failed`),
    });
    expect(published.output).not.toContain(SECRET_KEY);
    const stored = await storedBy({}, 'is.null');
    expect(stored).toEqual(seeded);
    expect(stored.map(definitionOf)).toEqual(
      definitions.toSorted((a, b) => byNodeId(a.data, b.data)).map((one) => asStored(complete(one))),
    );
  });

  it("finds the running stack on a port, and accepts a user's token or API key, too", async () => {
    const port = await findFreePort();
    const dir = stackDir(port);
    mkdirSync(dir, { recursive: true });
    // Simulate a running stack on this port. The command reads only its record.
    const claim = await claimStack(dir, port, join(dir, 'postgres'));
    try {
      claim.update({ state: 'ready', status: inject('stack') });
      expect(await publish('--port', String(port))).toMatchObject({ code: 0 });
      const person = await signUp();
      const first = await publish('--port', String(port), '--key', person.token);
      expect(first).toMatchObject({
        code: 0,
        output: expect.stringContaining(`${files.length} created, 0 merged, 0 failed`),
      });
      for (const { name } of files) expect(first.output).toContain(`] ${name}: created`);
      expect(await storedBy({ token: person.token }, `eq.${person.id}`)).toHaveLength(files.length);
      const { key } = await createApiKey(person);
      const again = await publish('--port', String(port), '--key', key);
      expect(again.output).toContain(`0 created, ${files.length} merged`);
    } finally {
      claim.release();
      rmSync(dir, { recursive: true, force: true });
    }
  });

  it('ends with 1 if the key is refused, or if an option is missing', async () => {
    const { API_URL, PUBLISHABLE_KEY } = inject('stack');
    const cases: [string[], RegExp][] = [
      [['--url', API_URL, '--key', PUBLISHABLE_KEY], /401 42501 .*0 created, 0 merged, \d+ failed/s],
      [
        ['--url', API_URL, '--key', 'sb_secret_wrong'],
        /FAILED: 401 .*does not accept the key: the other \d+ are not tried/s,
      ],
      [['--url', API_URL], /A key for .* is missing: add --key/],
      [['--nonsense'], /nonsense.*npm run nodes:publish/s],
    ];
    for (const [args, expected] of cases) {
      const { code, output } = await publish(...args);
      expect([code, output]).toEqual([1, expect.stringMatching(expected)]);
      expect(output).not.toMatch(/\n {4}at /);
    }
  });

  it('reads the target from a command line, or refuses it', async () => {
    const { API_URL } = inject('stack');
    const refused: [string[], RegExp][] = [
      [['--url', API_URL, '--key', 'fk_key'], /publishable key as well/],
      [['--url', 'somewhere', '--key', 'sb_secret_x'], /--url must be an address/],
      [['--port', String(await findFreePort())], /No stack runs on port/],
    ];
    for (const [args, expected] of refused) expect(() => readOptions(args)).toThrow(expected);
    for (const [args] of refused) expect(() => readOptions(args)).toThrow(StackError);
  });
});

type Reply = (response: ServerResponse, request: IncomingMessage) => void;

const answer = (status: number, body = '', headers: Record<string, string> = {}): Reply => (response) => {
  response.writeHead(status, headers).end(body);
};
const hangUp: Reply = (response) => response.destroy();

/**
 * Publishes to a server that answers each request with the next of these replies. After the last reply, it answers 201.
 */
async function publishTo(replies: Reply[], definitionFiles: DefinitionFile[]) {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => body += chunk);
    request.on('end', () => {
      bodies.push(body);
      (replies.shift() ?? answer(201))(response, request);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const lines: string[] = [];
  try {
    const summary: PublishSummary = await publishNodes({
      files: definitionFiles,
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      headers: {},
      log: (line) => lines.push(line),
      firstDelayMs: 1,
    });
    return { summary, lines, bodies };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const file = (name: string, text = '{"type": "native"}'): DefinitionFile => ({ name, text });

describe('publishing over a bad connection', () => {
  it('repeats requests that failed in transit, and reports how often', async () => {
    const replies = [
      answer(503),
      hangUp,
      answer(429, '', { 'retry-after': '0.01' }),
      answer(200),
      answer(502),
      answer(201),
    ];
    const { summary, lines, bodies } = await publishTo(replies, [file('a'), file('b')]);
    expect(summary).toEqual({ created: 1, merged: 1, failed: 0 });
    expect(bodies).toHaveLength(6);
    expect(lines.filter((line) => line.includes('trying again'))).toHaveLength(4);
    expect(lines[2]).toContain('429 ; trying again in 0.01 s');
    expect(lines.at(-1)).toBe('[2/2] b: created');
  });

  it('gives up a definition after five attempts and continues with the next', async () => {
    const { summary, lines, bodies } = await publishTo(Array.from({ length: 5 }, () => answer(500, 'oops')), [
      file('a'),
      file('b'),
    ]);
    expect(summary).toEqual({ created: 1, merged: 0, failed: 1 });
    expect(bodies).toHaveLength(6);
    expect(lines).toContain('[1/2] a: FAILED: 500 oops');
  });

  it('does not repeat refused requests, and shows the reason', async () => {
    const refusal = JSON.stringify({
      code: 'node_definition_invalid',
      message: 'data: is missing.',
      details: '[{"path": "data", "message": "is missing"}, {"path": "sources", "message": "must be an array"}]',
    });
    const { summary, lines, bodies } = await publishTo([answer(400, refusal)], [file('a'), file('b')]);
    expect([summary.failed, bodies.length]).toEqual([1, 2]);
    expect(lines[0]).toBe(
      '[1/2] a: FAILED: 400 node_definition_invalid data: is missing.\n        sources: must be an array',
    );
  });

  it('counts a file without JSON as failed and continues', async () => {
    const { summary, lines } = await publishTo([], [file('a', '{'), file('b')]);
    expect(summary).toEqual({ created: 1, merged: 0, failed: 1 });
    expect(lines[0]).toMatch(/^\[1\/2\] a: FAILED: definition\.json must be JSON: /);
  });

  it('sends the columns that a file omits, so that a merge clears them', async () => {
    const { bodies } = await publishTo([], [file('a', '{"type": "native"}')]);
    expect(JSON.parse(bodies[0]!)).toEqual({
      type: 'native',
      'targets_form.json_schema': {},
      'targets_form.ui_schema': {},
      'targets_form.extra': null,
    });
  });

  it('stops at the first 401: the key is wrong for every definition', async () => {
    const refusal = answer(401, '{"message": "Invalid API key"}');
    const { summary, lines, bodies } = await publishTo([refusal], [file('a'), file('b'), file('c')]);
    expect([summary, bodies.length]).toEqual([{ created: 0, merged: 0, failed: 3 }, 1]);
    expect(lines[0]).toBe('[1/3] a: FAILED: 401 Invalid API key');
    expect(lines[1]).toMatch(/^http:.* does not accept the key: the other 2 are not tried\.$/);
  });

  it('stops after the first definition if nothing answers', async () => {
    const lines: string[] = [];
    const url = `http://127.0.0.1:${await findFreePort()}`;
    const options = { files: [file('a'), file('b'), file('c')], url, headers: {}, firstDelayMs: 1 };
    const summary = await publishNodes({ ...options, log: (line) => lines.push(line) });
    expect(summary).toEqual({ created: 0, merged: 0, failed: 3 });
    expect(lines).toHaveLength(6);
    expect(lines[4]).toMatch(/^\[1\/3\] a: FAILED: fetch failed \(ECONNREFUSED\)$/);
    expect(lines[5]).toContain("can't be reached: the other 2 are not tried");
  });
});

describe('the definitions that a start publishes', () => {
  let nodesDir: string;
  beforeEach(() => {
    nodesDir = mkdtempSync(join(tmpdir(), 'flow-nodes-'));
  });
  afterEach(() => rmSync(nodesDir, { recursive: true, force: true }));

  const status = inject('stack');
  const definition = (node_id: string) => {
    const [, base] = fixtureDefinitions[0]!;
    return { ...base, data: { ...base.data as JsonObject, node_id } };
  };
  const write = (folder: string, text: string) => {
    mkdirSync(join(nodesDir, folder));
    writeFileSync(join(nodesDir, folder, 'definition.json'), text);
  };
  const stored = async (ids: string[]): Promise<string[]> =>
    (await rest(`nodes?select=node_id&user_id=is.null&order=created_at,node_id&node_id=in.(${ids})`)).body
      .map((row: { node_id: string }) => row.node_id);
  /** Returns the logged lines. */
  const seed = async (stack = status): Promise<string[]> => {
    const lines: string[] = [];
    await seedNodes(stack, { log: (line) => lines.push(line), firstDelayMs: 1 }, nodesDir);
    return lines;
  };

  it('are the missing ones, without a log line', async () => {
    const ids = ['a', 'b', 'c'].map((name) => `seeded_${name}_${randomUUID()}`);
    write('a', JSON.stringify(definition(ids[0]!)));
    expect(await seed()).toEqual([]);
    for (const [name, id] of [['b', ids[1]!], ['c', ids[2]!]] as const) write(name, JSON.stringify(definition(id)));
    expect(await seed()).toEqual([]);
    expect(await stored(ids)).toEqual(ids);
    const before = (await rest(`nodes?node_id=in.(${ids})&order=node_id`)).body;
    expect(await seed()).toEqual([]);
    expect((await rest(`nodes?node_id=in.(${ids})&order=node_id`)).body).toEqual(before);
  });

  it('are the valid ones, with the faults of the others in the log', async () => {
    const id = `seeded_${randomUUID()}`;
    write('a', '{');
    write('b', JSON.stringify({ ...definition(`${id}_b`), targets: null }));
    write('c', JSON.stringify(definition(id)));
    expect(await seed()).toEqual([
      expect.stringMatching(/^\[1\/3\] a: FAILED: definition\.json must be JSON/),
      expect.stringMatching(/^\[2\/3\] b: FAILED: 400 node_definition_invalid targets/),
      '2 node definitions are not published; the next start tries them again.',
    ]);
    expect(await stored([id, `${id}_b`])).toEqual([id]);
  });

  it('are reported as unknown if the table cannot be read', async () => {
    write('a', JSON.stringify(definition(`seeded_${randomUUID()}`)));
    const nowhere = { ...status, API_URL: `http://127.0.0.1:${await findFreePort()}` };
    expect(await seed(nowhere)).toEqual(['The node definitions could not be read: fetch failed (ECONNREFUSED)']);
    expect(await seed({ ...status, SERVICE_ROLE_KEY: 'sb_wrong' })).toEqual([
      expect.stringMatching(/^The node definitions could not be read: 401 .*Invalid API key/),
    ]);
  });
});

it('publishing ends on request, during a request and between two', async () => {
  for (const reply of [() => {}, answer(503, '', { 'retry-after': '30' })]) {
    const stop = new AbortController();
    const server = createServer((request, response) => {
      reply(response, request);
      stop.abort();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const publishing = publishNodes({ files: [file('a')], url, headers: {}, log: () => {}, signal: stop.signal });
    await expect(publishing).rejects.toMatchObject({ name: 'AbortError' });
    server.closeAllConnections();
    server.close();
  }
});

it('keys are sent in the headers that the gateway expects', () => {
  const jwt = (role: string) => `e30.${Buffer.from(JSON.stringify({ role })).toString('base64url')}.x`;
  const [service, user] = [jwt('service_role'), jwt('authenticated')];
  expect(keyHeaders('sb_secret_x', undefined)).toEqual({ apikey: 'sb_secret_x' });
  expect(keyHeaders(service, 'sb_publishable_x')).toEqual({ apikey: service, authorization: `Bearer ${service}` });
  expect(keyHeaders(user, 'sb_publishable_x')).toEqual({ apikey: 'sb_publishable_x', authorization: `Bearer ${user}` });
  expect(keyHeaders('fk_x', 'sb_publishable_x')).toEqual({ apikey: 'sb_publishable_x', 'x-api-key': 'fk_x' });
});
