import { randomUUID } from 'node:crypto';
import { FlowBuilder } from '../../support/flow_builder.ts';
import type { Attacker } from './attacker.ts';
import { type Attack, runInTurn } from './attack.ts';

const json = JSON.stringify;

/** A flow of one node with this form. */
function flowOf(nodeId: string, form: { [name: string]: unknown }, inputs: string[] = [], outputs: string[] = []) {
  const flow = new FlowBuilder();
  // SAFETY: the forms below are JSON.
  flow.node(nodeId, { form: form as never, inputs, outputs });
  return flow;
}

/** A flow whose edge computes an expression. */
function expressionFlow(expression: string): FlowBuilder {
  const flow = new FlowBuilder();
  flow.output('out', flow.toText({ ...flow.json([1, 2, 3]), expression }));
  return flow;
}

/** Code and patterns that never end, or fill the memory. */
const CODE: FlowBuilder[] = [
  flowOf('javascript', { source: 'for (;;) {}' }, [], ['out']),
  flowOf('javascript', { source: 'const a = []; for (;;) a.push("x".repeat(1e6) + a.length);' }, [], ['out']),
  flowOf('javascript', { source: 'return new Array(1e9) + "";' }, [], ['out']),
  flowOf('regex_match', { text: 'a'.repeat(60_000), pattern: '(a*)*(a*)*(a*)*b' }),
  flowOf('text_template', { template: '{{#a}}{{#a}}{{#a}}x{{/a}}{{/a}}{{/a}}', values: { a: Array(300).fill(1) } }),
  flowOf('jsonata', { expression: '($f := function($n) { $f($n + 1) + 1 }; $f(0))' }),
  expressionFlow('($f := function($n) { $f($n + 1) + 1 }; $f(0))'),
  expressionFlow('[1..9999999].($ * $)'),
];

/** A flow that reads all rows of its owner many times. */
function readingFlow(times: number): FlowBuilder {
  const flow = new FlowBuilder();
  for (let index = 0; index < times; index++) {
    const query = flow.use('postgrest_new_query', {}, { form: { table: 'node_run' } }).output('query');
    flow.use('postgrest_execute_query', { query }, { title: `read ${index}` });
  }
  return flow;
}

/** Stores an OAuth connection whose token server never answers. */
const storeSilentConnection = ({ send, hostileUrl }: Attacker) =>
  send(
    '/functions/v1/connections/upsert',
    json({
      name: 'silent',
      kind: 'oauth2_client_credentials',
      hosts: [new URL(hostileUrl).host],
      secret: { token_url: `${hostileUrl}/silent`, client_id: 'a', client_secret: randomUUID() },
    }),
  );

/** A flow that asks a model several times at once. The answers never end. */
function chattingFlow(base_url: string, times: number): FlowBuilder {
  const flow = new FlowBuilder();
  const form = { dialect: 'openai', base_url, model: 'endless', prompt: 'a' };
  for (let index = 0; index < times; index++) flow.node('ai_chat', { form, title: `ask ${index}` });
  return flow;
}

/** A secret whose forms are long, and repeat what a long answer repeats. */
const REPETITIVE_SECRET = `b${'a'.repeat(8_000)}`;

/** Stores a connection with this secret. */
const storeRepetitiveConnection = ({ send, hostileUrl }: Attacker) =>
  send(
    '/functions/v1/connections/upsert',
    json({
      name: 'repetitive',
      kind: 'bearer',
      hosts: [new URL(hostileUrl).host],
      secret: { token: REPETITIVE_SECRET },
    }),
  );

/** A flow whose requests carry the secret, and get answers that look like it. */
function searchedFlow(url: string, times: number): FlowBuilder {
  const flow = new FlowBuilder();
  for (let index = 0; index < times; index++) {
    flow.use('http_request', {}, { form: { url, method: 'GET', connection: 'repetitive' }, title: `ask ${index}` });
  }
  return flow;
}

/** Attacks by nodes that compute, and by nodes that reach the owner's rows, files and connections. */
export const nodeAttacks: Attack[] = [
  { name: 'code, patterns and expressions that never end', lanes: 4, prepare: (attacker) => runInTurn(attacker, CODE) },
  {
    name: 'parts of a flow with a megabyte of values',
    lanes: 4,
    prepare: async ({ send, store }) => {
      const flow = new FlowBuilder();
      const text = flow.use('to_string', { stringify: flow.json(1) });
      flow.output('out', text.output('result'));
      const id = await store(flow);
      const value = { A: Array.from({ length: 90_000 }, () => ({ B: true })) };
      const values_config = { inline: { [text.id]: { stringify: value } } };
      const body = json({ partial_config: { only_nodes: [text.id], values_config } });
      return () => send(`/functions/v1/flow/start/${id}`, body);
    },
  },
  {
    name: 'flows that read each row of their owner',
    lanes: 2,
    prepare: (attacker) => runInTurn(attacker, [readingFlow(40)]),
  },
  {
    name: 'answers that look like the secret of a connection',
    lanes: 2,
    prepare: async (attacker) => {
      await storeRepetitiveConnection(attacker);
      return await runInTurn(attacker, [searchedFlow(`${attacker.hostileUrl}/repetitive`, 14)]);
    },
  },
  {
    name: 'models that never end their answer',
    lanes: 4,
    prepare: (attacker) =>
      runInTurn(attacker, ['fast', 'slow'].map((pace) => chattingFlow(`${attacker.hostileUrl}/${pace}`, 16))),
  },
  {
    name: 'connections whose token server stays silent',
    lanes: 4,
    strikes: 200,
    prepare: async (attacker) => {
      await storeSilentConnection(attacker);
      const flow = flowOf('http_request', { url: `${attacker.hostileUrl}/gzip`, method: 'GET', connection: 'silent' });
      return await runInTurn(attacker, [flow]);
    },
  },
];
