import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { describeTools } from '../../client/describing/index.ts';
import { toValue } from '../../client/plain_value.ts';
import { denoBinary } from '../../dev/stack/functions.ts';
import { projectDir } from '../../dev/stack/paths.ts';
import { findFreePort } from '../../dev/stack/ports.ts';
import { fetchPackage } from '../../dev/tools/fetch_package.ts';
import { makeModule } from '../../runner/described/mcp/index.ts';
import { listTools } from '../../runner/described/mcp/list_tools.ts';
import type { NodeCall } from '../../runner/engine/node.ts';
import { makeHttpClient } from '../../runner/reach/http_client.ts';
import type { FrozenDefinition } from '../../types/flow.ts';
import { HTTP_LIMITS } from '../support/http_limits.ts';
import { runsLongTests } from '../support/long_tests.ts';
import { runNode } from '../support/node_call.ts';
import { waitFor } from '../support/wait.ts';

const http = makeHttpClient({ ...HTTP_LIMITS, isAllowed: () => true });

/** Starts the example server of the protocol's makers, which speaks the revision 2025-11-25. */
async function startEverything(): Promise<string> {
  const name = '@modelcontextprotocol/server-everything';
  const port = await findFreePort();
  const child = spawn(
    process.execPath,
    [join(fetchPackage('server-everything', name, '2026.8.31'), 'dist/index.js'), 'streamableHttp'],
    { env: { ...process.env, PORT: String(port) } },
  );
  onTestFinished(() => void child.kill());
  const url = `http://127.0.0.1:${port}/mcp`;
  await waitFor(async () => {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
    return await fetch(url).then(() => true, () => undefined);
  });
  return url;
}

test.runIf(runsLongTests)('the tools of server-everything become nodes that run', async () => {
  const url = await startEverything();
  const end = new AbortController().signal;
  const list = await listTools({ url, http, credential: undefined, timeoutMs: 20_000, end });
  expect(list.discover).toBeNull();
  const { definitions, refused } = describeTools(list);
  expect(refused).toEqual([]);
  const call = async (tool: string, args: Record<string, never>, more: Partial<NodeCall> = {}) => {
    const definition = definitions.find(({ data }) => data.node_id === tool);
    // SAFETY: the definition has the members of a frozen one.
    return await runNode(makeModule(definition as unknown as FrozenDefinition), args, { http, ...more });
  };
  const args = (plain: object) => (toValue(plain as never) as { M: Record<string, never> }).M;
  expect(definitions.map(({ data }) => data.node_id)).toEqual(expect.arrayContaining(['echo', 'get-sum']));
  expect(await call('echo', args({ message: 'grüße' }))).toMatchObject({
    content: { A: [{ M: { text: { S: expect.stringContaining('grüße') } } }] },
  });
  expect(JSON.stringify(await call('get-sum', args({ a: 2, b: 3 })))).toContain('5');
  expect(await call('get-structured-content', args({ location: 'New York' }))).toMatchObject({
    structured: { M: { temperature: expect.anything() } },
    temperature: expect.anything(),
    conditions: { S: expect.any(String) },
  });
  const lines: string[] = [];
  const log = (_: unknown, line: string) => lines.push(line);
  await call('trigger-long-running-operation', args({ duration: 1, steps: 3 }), { log });
  expect(lines.map((line) => line.slice(0, 3))).toEqual(['1/3', '2/3', '3/3']);
  await expect(call('get-sum', args({ a: 'x' }))).rejects.toThrow(/a|b/);
}, 300_000);

// The suite needs fs.globSync, which Node 20 lacks.
test.runIf(runsLongTests).each([
  'tools_call',
  'request-metadata',
  'http-standard-headers',
  'http-custom-headers',
  'http-invalid-tool-headers',
  'json-schema-ref-no-deref',
])('the scenario %s of the conformance suite passes', async (scenario) => {
  const suite = fetchPackage('mcp-conformance', '@modelcontextprotocol/conformance', '0.2.0-alpha.12');
  const loader = join(projectDir, 'platform/loader/typescript.js');
  const command = `${process.execPath} --import ${loader} ${join(projectDir, 'tests/support/conformance_client.ts')}`;
  const child = spawn(denoBinary(), [
    'run',
    '--allow-all',
    '--no-config',
    '--node-modules-dir=manual',
    join(suite, 'dist/index.js'),
    'client',
    '--command',
    command,
    '--scenario',
    scenario,
  ], { cwd: join(suite, '../../..'), env: { ...process.env, DENO_NO_UPDATE_CHECK: '1' } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output += chunk);
  const [code] = await once(child, 'close');
  expect([code, output]).toEqual([0, expect.any(String)]);
}, 120_000);
