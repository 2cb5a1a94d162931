import { base58 } from '@scure/base';
import fc from 'fast-check';
import { request } from 'node:http';
import { beforeAll, expect, inject, it } from 'vitest';
import { makeClaimedRun } from '../support/claimed_run.ts';
import { textFlow } from '../support/flow_builder.ts';
import { makeKeypair } from '../support/keypairs.ts';
import { deploy, type Person, signUp, storeFlow } from '../support/people.ts';
import { askFor } from '../support/signature_requests.ts';
import { asSuperuser, createApiKey } from '../support/tokens.ts';
import { fuzzCases } from '../support/fuzz_cases.ts';

const REQUESTS = fuzzCases(2_500);
const IN_FLIGHT = 32;

let owner: Person;
let flowId: number;
let deploymentId: string;
let apiKey: string;
let runId: string;
let requestId: number;

beforeAll(async () => {
  owner = await signUp();
  const run = await makeClaimedRun(owner.id);
  runId = run.id;
  requestId = await askFor(run, makeKeypair());
  flowId = await storeFlow(owner, textFlow());
  deploymentId = await deploy(owner, flowId);
  apiKey = (await createApiKey(owner)).key;
});

interface Generated {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer | undefined;
}

/** Sends bytes unchanged, because fetch would refuse or repair some of them. */
const send = ({ method, path, headers, body }: Generated): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(inject('stack').API_URL);
    const outgoing = request({
      hostname,
      port,
      method,
      path,
      headers: { ...headers, ...(body && { 'content-length': String(body.length) }) },
    }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    });
    outgoing.on(
      'error',
      (error: NodeJS.ErrnoException) =>
        error.code === 'EPIPE' || error.code === 'ECONNRESET' ? resolve({ status: 0, text: '' }) : reject(error),
    );
    outgoing.end(body);
  });

const nasty = fc.constantFrom(
  "'; drop table public.flows; --",
  '" or 1=1',
  '$$',
  '\\u0000',
  '%00',
  '../../etc/passwd',
  '{{7*7}}',
  '\u202e',
  'null',
  '-1',
  '1e309',
  '9'.repeat(400),
  'NaN',
  '<script>',
  'a\tb',
  '🦊'.repeat(50),
  '[]',
  '{}',
  '00000000-0000-0000-0000-000000000000',
);

const value: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: false },
    fc.record({ S: fc.string() }),
    fc.record({ U: nasty }),
    fc.record({ D: fc.double().map(String) }),
    fc.record({ BY: fc.base64String() }),
    fc.record({ A: fc.array(tie('value'), { maxLength: 3 }) }),
    fc.record({
      M: fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'toString')), tie('value'), {
        maxKeys: 3,
      }),
    }),
    fc.jsonValue(),
  ),
})).value;

const deep = fc.integer({ min: 60, max: 20_000 }).map((levels) =>
  `{"inputs":{"a":${'{"A":['.repeat(levels)}${']}'.repeat(levels)}}}`
);

const bodyText = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      inputs: fc.dictionary(fc.string(), value, { maxKeys: 4 }),
      action_signer: fc.option(nasty, { nil: undefined }),
    }, { requiredKeys: [] }).map((body) => JSON.stringify(body)),
  },
  { weight: 3, arbitrary: fc.jsonValue().map((json) => JSON.stringify(json)) },
  { weight: 2, arbitrary: fc.string() },
  { weight: 2, arbitrary: fc.constantFrom('', '{}', '{"inputs":{"value":{"S":"x"}}}') },
  { weight: 1, arbitrary: deep },
  { weight: 1, arbitrary: nasty.map((text) => `{"inputs": {"a": {"S": "${text}"}}}`) },
  { weight: 1, arbitrary: fc.constant(`{"type":"ADAPTER","name":"x","public_key":"${'1'.repeat(32)}","keypair":"x"}`) },
);

/** Answers to an open request that the requested key has not signed. */
const answerText = () =>
  fc.record({
    id: fc.constant(requestId),
    signature: fc.oneof(fc.uint8Array({ minLength: 63, maxLength: 64 }).map((bytes) => base58.encode(bytes)), nasty),
    new_msg: fc.option(fc.oneof(fc.base64String({ maxLength: 400 }), nasty), { nil: undefined }),
  }, { requiredKeys: ['id'] }).map((answer) => JSON.stringify(answer));

/** Bodies for key-value stores. Many of them name the store `fuzz`, which an earlier request may have made. */
const kvText = fc.record({
  store: fc.oneof(fc.constant('fuzz'), nasty, fc.string()),
  key: fc.oneof(fc.constant('key'), nasty, fc.string()),
  value: fc.oneof(value, fc.jsonValue()),
}, { requiredKeys: ['store'] }).map((item) => JSON.stringify(item));

const body = () =>
  fc.oneof(
    { weight: 8, arbitrary: bodyText.map((text) => Buffer.from(text)) },
    { weight: 2, arbitrary: kvText.map((text) => Buffer.from(text)) },
    { weight: 2, arbitrary: answerText().map((text) => Buffer.from(text)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );

const queryValue = fc.oneof(nasty, fc.string(), fc.constantFrom('latest', '1'));

/** Generates mutated requests for all routes. They use the ids of the rows that this test has made. */
const generated = (): fc.Arbitrary<Generated> => {
  const path = fc.oneof(
    fc.record({
      id: fc.option(fc.oneof(queryValue, fc.constant(deploymentId)), { nil: undefined }),
      flow: fc.option(fc.oneof(queryValue, fc.constant(String(flowId))), { nil: undefined }),
      tag: fc.option(queryValue, { nil: undefined }),
    }, { requiredKeys: [] })
      .map((query) => `/functions/v1/deployment/start?${new URLSearchParams(query as Record<string, string>)}`),
    fc.oneof(queryValue, fc.constant(String(flowId))).map((id) =>
      `/functions/v1/flow/deploy/${encodeURIComponent(id.toWellFormed())}`
    ),
    fc.oneof(queryValue, fc.constant(String(flowId))).map((id) =>
      `/functions/v1/flow/start/${encodeURIComponent(id.toWellFormed())}`
    ),
    fc.oneof(queryValue, fc.uuid()).map((id) =>
      `/functions/v1/flow/output/${encodeURIComponent(id.toWellFormed())}?wait=0`
    ),
    fc.oneof(queryValue, fc.uuid()).map((id) => `/functions/v1/flow/stop/${encodeURIComponent(id.toWellFormed())}`),
    fc.oneof(queryValue, fc.uuid(), fc.constant(runId)).map((id) =>
      `/functions/v1/flow/redrive/${encodeURIComponent(id.toWellFormed())}`
    ),
    fc.oneof(queryValue, fc.uuid(), fc.constant(runId)).map((id) =>
      `/functions/v1/flow/signature_request/${encodeURIComponent(id.toWellFormed())}?wait=0`
    ),
    fc.constant('/functions/v1/signature/submit'),
    fc.constant('/functions/v1/wallets/upsert'),
    fc.constantFrom(
      'info',
      'healthcheck',
      'apikey/create',
      'apikey/delete',
      'apikey/info',
      'kv/create_store',
      'kv/delete_store',
      'kv/write_item',
      'kv/read_item',
      'kv/delete_item',
    ).map((name) => `/functions/v1/${name}`),
    fc.constantFrom(
      'start_deployment',
      'start_flow',
      'deploy_flow',
      'create_api_key',
      'delete_api_key',
      'create_kv_store',
      'delete_kv_store',
      'write_kv_item',
      'read_kv_item',
      'delete_kv_item',
      'whoami',
      'flow_run_result',
      'await_flow_run_result',
      'flow_run_wait',
      'stop_flow_run',
      'redrive_flow_run',
      'redrive_flow_runs',
      'earlier_flow_runs',
      'pending_signature_request',
      'signature_request_for_caller',
      'answer_signature_request',
      'asking_flow_runs',
      'claim_flow_runs',
      'checkpoint_flow_run',
      'release_flow_run',
      'flow_run_history',
      'heartbeat_flow_runs',
      'finish_flow_run',
      'store_transaction',
      'suspend_flow_run',
      'rotate_run_token_secret',
      'runner_metrics',
      'sweep_runner',
    ).map((name) => `/rest/v1/rpc/${name}`),
    fc.constantFrom(
      '/rest/v1/flows',
      '/rest/v1/nodes',
      '/rest/v1/flow_deployments_tags',
      '/rest/v1/wallets',
      '/rest/v1/flow_run',
      '/rest/v1/api_keys',
      '/rest/v1/signature_requests',
    ),
    fc.webPath().map((text) => `/functions/v1/flow${text}`),
  );
  const authorization = fc.oneof(
    fc.constant(`Bearer ${owner.token}`),
    fc.constant(`Bearer ${apiKey}`),
    fc.constant('Bearer da18mgixFBWYWT1xx4YoiGBpa24ZHhKZ3ETLeDpf8Bs'),
    fc.constant(undefined),
    nasty.filter((text) => /^[\x20-\x7e]*$/.test(text)),
  );
  const headers = fc.record({
    authorization,
    'content-type': fc.constantFrom(
      'application/json',
      'application/json',
      'application/json',
      'application/json; charset=utf-8',
      'text/plain',
      'application/xml',
      '',
    ),
    'idempotency-key': fc.option(nasty.filter((text) => /^[\x20-\x7e]*$/.test(text)), { nil: undefined }),
    'x-flow-run-token': fc.oneof(
      { weight: 20, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constantFrom(`fr_${'A'.repeat(64)}`, 'fr_', 'x') },
    ),
  });
  return fc.record({
    method: fc.oneof({ weight: 12, arbitrary: fc.constant('POST') }, {
      weight: 4,
      arbitrary: fc.constantFrom('GET', 'PUT', 'DELETE', 'PATCH'),
    }),
    path,
    headers,
    body: body(),
  }).map((made) => ({
    ...made,
    headers: {
      apikey: inject('stack').PUBLISHABLE_KEY,
      ...Object.fromEntries(Object.entries(made.headers).filter(([, text]) => text !== undefined && text !== '')),
    } as Record<string, string>,
  }));
};

/** Counts rows that no request may change or add. */
const countRows = () =>
  asSuperuser(async (sql) => {
    const [counts] = await sql`
      select
        (select count(*)::int from public.flow_run where user_id = ${owner.id} and deployment_id is distinct from ${deploymentId} and started_by is distinct from ${owner.id}) as strange_runs,
        (select count(*)::int from public.nodes where is_public and user_id = ${owner.id}) as public_nodes,
        (select count(*)::int from public.wallets where type = 'HARDCODED' and user_id = ${owner.id}) as wallets,
        (select count(*)::int from public.signature_requests where owner_id = ${owner.id} and signature is null) as requests,
        (select count(*)::int from private.flow_run_transactions where root_flow_run_id = ${runId}) as transactions,
        (select encode(sha256(secret), 'hex') from private.run_token_secrets) as secrets`;
    return counts;
  });

it(
  `${REQUESTS} generated requests over all routes cause no 5xx, no revealing answer and no forbidden row, and the stack stays alive`,
  async () => {
    const before = await countRows();
    const requests = fc.sample(generated(), { numRuns: REQUESTS });
    const byStatus = new Map<number, number>();
    const faults: unknown[] = [];
    let next = 0;
    await Promise.all(Array.from({ length: IN_FLIGHT }, async () => {
      while (next < requests.length) {
        const made = requests[next++]!;
        const { status, text } = await send(made);
        byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
        if (status >= 500 || /\bat .+\.(ts|js):\d+|node_modules|postgres:\/\//.test(text)) {
          faults.push({ ...made, body: made.body?.toString().slice(0, 300), status, text: text.slice(0, 300) });
        }
      }
    }));
    console.log(
      `fuzz: ${REQUESTS} requests, answers by status: ${JSON.stringify(Object.fromEntries([...byStatus].toSorted()))}`,
    );
    expect(faults.slice(0, 5)).toEqual([]);
    // If all requests had the same fault, the server would check nothing else in them. Therefore many requests must
    // succeed, and many must be refused.
    expect(byStatus.get(200)).toBeGreaterThan(REQUESTS / 250);
    expect(byStatus.get(400)).toBeGreaterThan(REQUESTS / 10);
    expect(await countRows()).toEqual(before);
    expect((await owner.client.rpc('whoami')).data).toEqual({ user_id: owner.id, is_anonymous: false });
  },
  240_000,
);
