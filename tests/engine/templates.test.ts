import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LosslessNumber, parse } from 'lossless-json';
import { expect, it } from 'vitest';
import { projectDir } from '../../dev/stack/paths.ts';
import {
  type HttpRequest,
  NodeError,
  type NodeServices,
  type PendingInputs,
  type ProjectApi,
} from '../../runner/engine/node.ts';
import { makeCredential } from '../../runner/connections/credential.ts';
import type { OwnerFiles } from '../../runner/engine/owner_files.ts';
import type { Transactions } from '../../runner/solana/transaction_order.ts';
import { TransientError } from '../../runner/engine/failures/transient_error.ts';
import type { Graph } from '../../types/flow.ts';
import type { Value, ValueMap } from '../../types/values/value.ts';
import { executeFlow } from '../support/execute_flow.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { filesThat } from '../support/node_call.ts';

const PAYER = '4MZQHzBH2skScQYV9XkpdrygnCjFA8pQvVGLUPFfTnAE';
const SIGNATURE = '1'.repeat(63) + '2';

const folder = join(projectDir, 'docs/templates');

/** The flow of all tools of agents: it returns its input. */
const TOOL = 7;
const tool = new FlowBuilder();
tool.output('paid', tool.input('order', undefined, { type: 'text', required: true }));

/**
 * Makes a flow of the tests from a template. `retry` gets all its members, as in a snapshot. Tools of agents get a flow,
 * which people choose.
 */
class Template extends FlowBuilder {
  readonly #graph: Graph;

  constructor(name: string) {
    super();
    // SAFETY: the runner refuses a graph of a wrong form.
    const flow = parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as unknown as Graph;
    for (const { data } of flow.nodes) {
      if (data.retry) data.retry = { ...data.retry, delay_ms: 0, max_delay_ms: 0 };
      const { tools } = (data.targets_form.form_data ?? {}) as { tools?: { flow?: LosslessNumber }[] };
      for (const one of tools ?? []) one.flow = new LosslessNumber(String(TOOL));
    }
    this.#graph = { ...flow, environment: {}, instructions_bundling: 'Off' };
  }

  override graph(): Graph {
    return this.#graph;
  }
}

/**
 * A server that answers each path with its JSON. `/broken` closes the connection, and `/mail` answers with the body
 * that it got. Other paths do not exist.
 */
const answering = (answers: Record<string, unknown>): Pick<NodeServices, 'http'> => ({
  http: {
    request: async ({ url, body: sent, makeBody }: HttpRequest) => {
      const { pathname } = new URL(url);
      if (pathname === '/broken') throw new TransientError('the connection broke');
      if (answers[pathname] === undefined) throw new NodeError('status code: 404');
      const got = new TextDecoder().decode(sent ?? await makeBody?.());
      const answer = pathname === '/mail' ? { sent: got } : answers[pathname];
      const body = new TextEncoder().encode(JSON.stringify(answer));
      return { status: 200, headers: { 'content-type': 'application/json' }, body };
    },
  },
});

const DRAFT = { topic: 'invoice', answer: 'It is on its way.' };

/** A provider of models that answers the last message of a request with this delta. */
const modelThat = (
  answers: (last: { role: string; content: string }) => object,
): Pick<NodeServices, 'http' | 'openConnection'> => ({
  http: {
    request: async ({ body, makeBody, receive }: HttpRequest) => {
      const { messages } = JSON.parse(new TextDecoder().decode(body ?? await makeBody?.()));
      const headers = { 'content-type': 'text/event-stream' };
      const chunk = { choices: [{ delta: answers(messages.at(-1)), finish_reason: 'stop' }] };
      receive?.head({ status: 200, headers });
      await receive?.piece(new TextEncoder().encode(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`));
      return { status: 200, headers, body: new Uint8Array(0) };
    },
  },
  openConnection: async (name) => {
    expect(name).toBe('openai');
    return makeCredential(
      { name, hosts: ['api.openai.com'], header: null, parameter: null },
      { kind: 'bearer', secret: { token: 'sk-of-a-test' } },
      { allowsHttp: false },
    );
  },
});

const CALL = { index: 0, id: 'call_1', function: { name: 'pay_back', arguments: '{"order":"77"}' } };

/** The providers of templates that ask a model. */
const models: { [template: string]: Partial<NodeServices> } = {
  answer_a_letter: modelThat(() => ({ content: JSON.stringify(DRAFT) })),
  agent_that_asks_first: modelThat(({ role, content }) =>
    role === 'tool' ? { content: `told: ${content}` } : { tool_calls: [CALL] }
  ),
};

/** Answers each pending input at once. */
const answeredWith = (value: Value): PendingInputs => ({
  makeAddress: () => ({ token: 'token', url: 'https://example.com/token' }),
  look: () => Promise.resolve({ status: 'submitted', value }),
  untilNews: () => Promise.resolve(),
});
const REFUSAL: Value = { M: { approved: { B: false } } };

/** Confirms each transaction at once. */
const confirming: Transactions = {
  execute: () => Promise.resolve({ status: 'confirmed', signature: SIGNATURE, hasFees: false }),
};

/** Signs URLs of files without checking that the files exist. */
const files: OwnerFiles = {
  ...filesThat(() => {
    throw new Error('must not be called');
  }),
  signUrl: ({ path }, { expiresInSeconds }) => Promise.resolve(`https://files.test/${path}?for=${expiresInSeconds}`),
};

/** Tables that store each posted row, with an id. */
const project: ProjectApi = {
  restUrl: () => 'https://project.test/rest/v1',
  serves: ({ origin }) => origin === 'https://project.test',
  request: async ({ method, url, body, makeBody }) => {
    const isInsert = method === 'POST' && /^\/rest\/v1\/(events|changes)$/.test(new URL(url).pathname);
    if (!isInsert) throw new NodeError('status code: 404');
    const row = JSON.parse(new TextDecoder().decode(body ?? await makeBody?.()));
    const stored = new TextEncoder().encode(JSON.stringify([{ id: 1, ...row }]));
    return { status: 201, headers: { 'content-type': 'application/json' }, body: stored };
  },
  primaryKeyColumns: () => Promise.resolve([]),
};

const row = (name: string, email: string): Value => ({ M: { name: { S: name }, email: { S: email } } });
const at = (path: string): Value => ({ S: `http://shop.test${path}` });
const expense = (amount: string): Value => ({ M: { amount: { D: amount }, for: { S: 'train' } } });
const holder: Value = { M: { key: { S: 'holder' }, collection: { S: 'cats' } } };
const status = (text: string): Value => ({ M: { status: { S: text } } });
const failure = (message: string, node: number, attempt: number): Value => ({
  M: {
    message: { S: message },
    code: { N: 0 },
    node_id: { S: `10000000-0000-4000-8000-${String(node).padStart(12, '0')}` },
    attempt: { U: String(attempt) },
  },
});

const cases: [template: string, inputs: ValueMap, output: ValueMap, answered?: Value][] = [
  ['retry_with_fallback', { url: at('/fine'), fallback_url: at('/spare') }, { answer: status('ready') }],
  [
    'retry_with_fallback',
    { url: at('/broken'), fallback_url: at('/spare') },
    { answer: status('spare'), problem: failure('the connection broke', 3, 3) },
  ],
  [
    'fan_out_and_collect',
    { urls: { A: [at('/fine'), at('/nowhere'), at('/spare'), at('/fine')] } },
    {
      ready: { A: [status('ready'), status('ready')] },
      others: { A: [status('spare')] },
      failures: { A: [failure('status code: 404', 3, 1)] },
    },
  ],
  [
    'csv_import',
    { csv: { S: 'name,email\nDi,d@x.test\nNo,\n"Bo, Jr",b@x.test\nDi again,d@x.test\n' } },
    {
      rows: { A: [row('Bo, Jr', 'b@x.test'), row('Di', 'd@x.test')] },
      refused: { A: [row('No', '')] },
    },
  ],
  [
    'nightly_report',
    { figures_url: at('/figures'), mail_url: at('/mail') },
    { report: { S: 'Orders: 7\nProblem: late\n' }, answer: { M: { sent: { S: '"Orders: 7\\nProblem: late\\n"' } } } },
  ],
  ['approve_an_expense', { expense: expense('20'), limit: { U: '100' } }, { pay: expense('20') }],
  ['approve_an_expense', { expense: expense('100.5'), limit: { U: '100' } }, { refused: expense('100.5') }],
  ['token_gate', { das_url: at('/one'), holder, link: at('/door') }, { link: at('/door') }],
  [
    'token_gate',
    { das_url: at('/none'), holder, link: at('/door') },
    { refused: { S: 'The holder has no asset of the collection.' } },
  ],
  [
    'paid_download',
    { payer: { M: { public_key: { S: PAYER } } } },
    { link: { S: 'https://files.test/books/my_book.pdf?for=3600' }, signature: { B6: SIGNATURE } },
  ],
  [
    'webhook_to_table',
    { event: { M: { order: { U: '7' } } } },
    { row: { M: { id: { U: '1' }, payload: { M: { order: { U: '7' } } } } } },
  ],
  [
    'row_change_to_log',
    {
      change: {
        M: {
          operation: { S: 'insert' },
          schema: { S: 'public' },
          table: { S: 'orders' },
          row: { M: { id: { U: '7' } } },
          old_row: { N: 0 },
          user_id: { N: 0 },
        },
      },
    },
    {
      row: {
        M: {
          id: { U: '1' },
          operation: { S: 'insert' },
          table_name: { S: 'orders' },
          new_row: { M: { id: { U: '7' } } },
          old_row: { N: 0 },
        },
      },
    },
  ],
  [
    'answer_a_letter',
    { letter: { S: 'Where is my invoice?' } },
    { draft: { M: { topic: { S: DRAFT.topic }, answer: { S: DRAFT.answer } } } },
  ],
  [
    'agent_that_asks_first',
    { letter: { S: 'Order 77 came broken.' } },
    { answer: { S: 'told: {"paid":"77"}' } },
    { S: 'Approve' },
  ],
  [
    'agent_that_asks_first',
    { letter: { S: 'I do not like order 77.' } },
    { answer: { S: 'told: Error: a person has refused this call' } },
    { S: 'Refuse' },
  ],
  ['fan_out_and_collect', { urls: { A: [] } }, { ready: { A: [] }, others: { A: [] }, failures: { A: [] } }],
];

it.each(cases)('the template %s does what it says, with %j', async (name, inputs, output, answered = REFUSAL) => {
  const services = {
    inputs: answeredWith(answered),
    transactions: confirming,
    files,
    project,
    ...answering({
      '/fine': { status: 'ready' },
      '/spare': { status: 'spare' },
      '/figures': { orders: 7, problems: ['late'] },
      '/mail': {},
      '/one': { jsonrpc: '2.0', id: '1', result: { total: 1 } },
      '/none': { jsonrpc: '2.0', id: '1', result: { total: 0 } },
    }),
    ...models[name],
  };
  const result = await executeFlow(new Template(name), inputs, { flows: { [TOOL]: tool }, services, now: Date.now });
  expect(result).toMatchObject({ status: 'succeeded', errors: null });
  expect(result.output.M).toEqual(output);
});

it('each template has a case', () => {
  const names = readdirSync(folder).map((file) => file.replace(/\.json$/, ''));
  expect([...new Set(cases.map(([name]) => name))].toSorted()).toEqual(names.toSorted());
});
