import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { denoBinary } from '../../dev/stack/functions.ts';
import { fetchPackage } from '../../dev/tools/fetch_package.ts';
import { FlowBuilder, type FormJson, textFlow } from '../support/flow_builder.ts';
import { connectAssistant, type Era, ERAS, mcpUrl } from '../support/mcp.ts';
import { askingFlow } from '../support/pending_inputs.ts';
import { deploy, type Person, signUp, storeFlow } from '../support/people.ts';

// The conformance suite of the protocol, and the command line of its inspector, against the function of the stack.

const run = promisify(execFile);

let owner: Person;
let apiKey: string;

/** The form of a question for an object with this member. */
const questionOf = (member: string, type: string): FormJson & object => ({
  answered_by: 'owner',
  title: `What is ${member}?`,
  json_schema: { type: 'object', properties: { [member]: { type } }, required: [member] },
});
const asksFor = (member: string, type: string) => askingFlow(questionOf(member, type));

function failingFlow(): FlowBuilder {
  const flow = new FlowBuilder();
  flow.output('never', flow.field('missing', flow.json({ a: 1 })));
  return flow;
}

/** A flow that asks a second question after the answer to the first. */
function askingTwice(): FlowBuilder {
  const flow = new FlowBuilder();
  const first = flow.use('api_input', {}, { form: questionOf('name', 'string') });
  const extra = first.output('value');
  const second = flow.use('api_input', { extra }, { form: questionOf('color', 'string'), title: 'second' });
  flow.output('answer', second.output('value'));
  return flow;
}

/** The tools that the suite calls. It does not look at texts. */
const TOOLS: Record<string, FlowBuilder> = {
  test_simple_text: textFlow(),
  test_error_handling: failingFlow(),
  test_tool_with_progress: textFlow(),
  test_logging_tool: textFlow(),
  test_streaming_elicitation: asksFor('name', 'string'),
  test_input_required_result_elicitation: asksFor('name', 'string'),
  test_input_required_result_request_state: asksFor('ok', 'boolean'),
  test_input_required_result_tampered_state: asksFor('ok', 'boolean'),
  test_input_required_result_multi_round: askingTwice(),
};

beforeAll(async () => {
  owner = await signUp();
  for (const [tool_name, flow] of Object.entries(TOOLS)) {
    await deploy(owner, await storeFlow(owner, flow, { tool_name, name: tool_name }));
  }
  const { data } = await owner.client.rpc('create_api_key', { name: 'suite' }).throwOnError();
  apiKey = (data as { key: string }).key;
  // Some checks wait for less than a second, and the first call of a function takes longer.
  const client = await connectAssistant({ headers: { 'x-api-key': apiKey } });
  await client.callTool({ name: 'test_simple_text' });
  await client.close();
});

/** The suite sends no credential. This door adds one, and passes on everything else as it is. */
async function openDoor(): Promise<string> {
  const server = createServer((asked, answered) => {
    const headers = [...asked.rawHeaders, 'x-api-key', apiKey];
    const sent = request(mcpUrl(), { method: asked.method, headers }, (answer) => {
      answered.writeHead(answer.statusCode!, answer.rawHeaders);
      answer.pipe(answered);
    });
    sent.on('error', () => answered.destroy());
    answered.on('close', () => sent.destroy());
    asked.pipe(sent);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

interface Check {
  id: string;
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  errorMessage?: string;
}

/** Runs all scenarios of a revision. Returns the checks of each scenario. */
async function runSuite(era: Era): Promise<Map<string, Check[]>> {
  const folder = fetchPackage('conformance', '@modelcontextprotocol/conformance', '0.2.0-alpha.12');
  const results = mkdtempSync(join(tmpdir(), 'flow-conformance-'));
  onTestFinished(() => rmSync(results, { recursive: true, force: true }));
  const url = await openDoor();
  const args = ['server', '--url', url, '--suite', 'all', '--spec-version', era, '--output-dir', results];
  // The suite needs a newer version of Node than the oldest one that is supported here, but runs in Deno. The command
  // fails if a scenario fails, also one that does not apply.
  await run(denoBinary(), ['run', '--allow-all', join(folder, 'dist/index.js'), ...args]).catch(() => {});
  return new Map(
    readdirSync(results).map((name) => [
      /^server-(.+)-\d{4}-\d\d-/.exec(name)![1]!,
      JSON.parse(readFileSync(join(results, name, 'checks.json'), 'utf8')),
    ]),
  );
}

const asksModels = 'A run asks people, and neither models nor for files of the client.';
const hasOnlyTools = 'The function has tools, but no prompts, resources, completion or logging.';
const isText = 'The result of a run is structured content and text.';
const hasNoRequests =
  'A client of 2025-11-25 is told of a question by a link: a request to it would need a connection that stays.';
const hasNoSessions = 'There are no sessions, which are optional, and no streams that can be resumed.';

/** The findings of the suite in both revisions, as `scenario: check`, with the reason why they are none. */
const FINDINGS: Record<string, string> = {
  'completion-complete: completion-complete': hasOnlyTools,
  'prompts-list: prompts-list': hasOnlyTools,
  'prompts-get-simple: prompts-get-simple': hasOnlyTools,
  'prompts-get-with-args: prompts-get-with-args': hasOnlyTools,
  'prompts-get-embedded-resource: prompts-get-embedded-resource': hasOnlyTools,
  'prompts-get-with-image: prompts-get-with-image': hasOnlyTools,
  'resources-list: resources-list': hasOnlyTools,
  'resources-read-text: resources-read-text': hasOnlyTools,
  'resources-read-binary: resources-read-binary': hasOnlyTools,
  'resources-templates-read: resources-templates-read': hasOnlyTools,
  'tools-call-image: tools-call-image': isText,
  'tools-call-audio: tools-call-audio': isText,
  'tools-call-embedded-resource: tools-call-embedded-resource': isText,
  'tools-call-mixed-content: tools-call-mixed-content': isText,
  'json-schema-2020-12: json-schema-2020-12-tool-found':
    'The schema of a tool is made from types of inputs, not given.',
  'dns-rebinding-protection: localhost-host-rebinding-rejected':
    'Each request needs a credential, which no foreign page has. The gateway decides about the header Host.',
};

/** The findings in one revision only. */
const FINDINGS_OF: Record<Era, Record<string, string>> = {
  '2026-07-28': {
    'server-stateless: sep-2575-server-rejects-undeclared-capability': asksModels,
    'server-stateless: sep-2575-missing-capability-http-400': asksModels,
    'input-required-result-basic-sampling: sep-2322-sampling-incomplete': asksModels,
    'input-required-result-basic-list-roots: sep-2322-list-roots-incomplete': asksModels,
    'input-required-result-multiple-input-requests: sep-2322-multiple-inputs-incomplete': asksModels,
    'input-required-result-capability-check: sep-2322-respect-client-capabilities': asksModels,
    'input-required-result-non-tool-request: sep-2322-non-tool-incomplete': hasOnlyTools,
    'input-required-result-basic-elicitation: sep-2322-elicitation-incomplete':
      'The suite wants the key user_name. The key of a question is its id.',
    'input-required-result-ignore-extra-params: sep-2322-ignore-unexpected-params':
      'The suite answers in its first message. A question has an id only after its run has asked.',
    'sep-2164-resource-not-found: sep-2164-error-code': hasOnlyTools,
    'sep-2164-resource-not-found: sep-2164-data-uri': hasOnlyTools,
    'caching: sep-2549-prompts-list-caching-hints': hasOnlyTools,
    'caching: sep-2549-resources-list-caching-hints': hasOnlyTools,
    'caching: sep-2549-resources-templates-list-caching-hints': hasOnlyTools,
    ...Object.fromEntries([
      'sep-2243-server-no-xmcp-tool',
      'sep-2243-server-decode-base64',
      'sep-2243-server-validate-param-match',
      'sep-2243-server-reject-invalid-param-chars',
      'sep-2243-server-reject-param-mismatch',
    ].map((check) => [`http-custom-header-server-validation: ${check}`, 'No tool wants an argument as a header.'])),
  },
  '2025-11-25': {
    'logging-set-level: logging-set-level': hasOnlyTools,
    'resources-subscribe: resources-subscribe': hasOnlyTools,
    'resources-unsubscribe: resources-unsubscribe': hasOnlyTools,
    'tools-call-with-logging: tools-call-with-logging': hasOnlyTools,
    'tools-call-sampling: tools-call-sampling': asksModels,
    'tools-call-elicitation: tools-call-elicitation': hasNoRequests,
    'elicitation-sep1034-defaults: elicitation-sep1034-general': hasNoRequests,
    'elicitation-sep1330-enums: elicitation-sep1330-general': hasNoRequests,
    'server-sse-multiple-streams: server-sse-multiple-streams-session': hasNoSessions,
    'server-sse-polling: server-sse-polling-session': hasNoSessions,
    'server-sse-polling: server-sse-priming-event': hasNoSessions,
    'server-sse-polling: server-sse-retry-field': hasNoSessions,
  },
};

/** The scenarios that must run, so that no new suite passes by leaving them out. */
const SCENARIOS: Record<Era, string[]> = {
  '2026-07-28': [
    'tools-list',
    'tools-call-simple-text',
    'tools-call-error',
    'tools-call-with-progress',
    'server-stateless',
    'server-sse-multiple-streams',
    'http-header-validation',
    'caching',
    'input-required-result-request-state',
    'input-required-result-multi-round',
    'input-required-result-missing-input-response',
    'input-required-result-result-type',
    'input-required-result-unsupported-methods',
    'input-required-result-tampered-state',
    'input-required-result-validate-input',
  ],
  '2025-11-25': [
    'server-initialize',
    'ping',
    'tools-list',
    'tools-call-simple-text',
    'tools-call-error',
    'tools-call-with-progress',
  ],
};

it.each(ERAS)('the conformance suite finds nothing wrong in the revision %s', async (era) => {
  const scenarios = await runSuite(era);
  expect([...scenarios.keys()]).toEqual(expect.arrayContaining(SCENARIOS[era]));
  const checks = [...scenarios].flatMap(([name, all]) => all.map((check) => ({ ...check, name })));
  const found = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
  console.log(`${era}: ${checks.filter(({ status }) => status === 'SUCCESS').length} checks passed`);
  const expected = Object.keys({ ...FINDINGS, ...FINDINGS_OF[era] });
  const unexpected = found.filter(({ name, id }) => !expected.includes(`${name}: ${id}`));
  expect(unexpected).toEqual([]);
  expect(expected.filter((one) => found.every(({ name, id }) => one !== `${name}: ${id}`))).toEqual([]);
}, 600_000);

it('the command line of the inspector lists the tools and calls one', async () => {
  const folder = fetchPackage('inspector', '@modelcontextprotocol/inspector', '2.12.0');
  const inspect = async (...args: string[]) => {
    const command = [join(folder, 'clients/launcher/build/index.js'), '--cli', String(mcpUrl())];
    const options = ['--transport', 'http', '--header', `x-api-key: ${apiKey}`, ...args];
    const { stdout } = await run(process.execPath, [...command, ...options]);
    return JSON.parse(stdout);
  };
  const { tools } = await inspect('--method', 'tools/list');
  expect(tools.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(Object.keys(TOOLS)));
  const called = ['--method', 'tools/call', '--tool-name', 'test_simple_text', '--tool-arg', 'value=seven'];
  expect(await inspect(...called)).toMatchObject({ structuredContent: { text: 'seven' } });
}, 600_000);
