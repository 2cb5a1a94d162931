import { createHmac, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FlowBuilder } from '../support/flow_builder.ts';
import { call, deploy, finishedRun, type Person, signUp, storeFlow } from '../support/people.ts';

let owner: Person;
let flowId: number;

const json = { 'content-type': 'application/json' };
const FORM = 'application/x-www-form-urlencoded';

beforeAll(async () => {
  owner = await signUp();
  const flow = new FlowBuilder();
  flow.output('seen', flow.input('event'));
  flowId = await storeFlow(owner, flow);
  await deploy(owner, flowId);
});

interface Made {
  id: string;
  url: string;
  /** The path of the webhook, relative to the functions' address. */
  path: string;
}

type Arguments = {
  headers?: string[];
  verification?: string;
  secret?: string;
  tag?: string;
  hmac?: Record<string, string>;
};

async function makeWebhook(args: Arguments = {}): Promise<Made> {
  const { data } = await owner.client.rpc('create_webhook', { flow: flowId, input: 'event', ...args }).throwOnError();
  const { id, url } = data as { id: string; url: string };
  return { id, url, path: url.split('/functions/v1/')[1]! };
}

const post = async (path: string, body: string, headers: Record<string, string> = {}) => {
  const response = await call(path, { body, headers: { ...json, ...headers } });
  return { status: response.status, body: await response.json() };
};
const startsOf = async ({ id }: Made): Promise<number> => {
  const { count } = await owner.client.from('flow_run').select('id', { count: 'exact', head: true })
    .eq('webhook_id', id).throwOnError();
  return count!;
};
const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex');
const signAsStripe = (body: string, secret: string) => {
  const seconds = Math.floor(Date.now() / 1_000);
  return { 'stripe-signature': `t=${seconds},v1=00,v1=${hmac(secret, `${seconds}.${body}`)},v0=00` };
};

it('a request to the URL starts a run as the owner, with its body and the chosen headers', async () => {
  const made = await makeWebhook({ headers: ['X-GitHub-Event'] });
  const response = await fetch(made.url, {
    method: 'POST',
    body: '{"ref": "main", "size": 12345678901234567890.5}',
    headers: { ...json, 'x-github-event': 'push' },
  });
  expect(response.status).toBe(202);
  const { flow_run_id, ...more } = await response.json();
  expect(more).toEqual({});
  expect(await finishedRun(owner, flow_run_id)).toMatchObject({
    status: 'succeeded',
    webhook_id: made.id,
    started_by: owner.id,
    output: {
      M: {
        seen: {
          M: {
            body: { M: { ref: { S: 'main' }, size: { D: '12345678901234567890.5' } } },
            headers: { M: { 'x-github-event': { S: 'push' } } },
          },
        },
      },
    },
  });
  const { data } = await owner.client.from('flow_webhooks').select('last_flow_run_id, last_error').eq('id', made.id)
    .single();
  expect(data).toEqual({ last_flow_run_id: flow_run_id, last_error: null });
});

it.each([
  ['a form', FORM, 'user=%C3%A4&text=a+b%26c', { user: { S: 'ä' }, text: { S: 'a b&c' } }],
  ['a type in JSON', 'application/cloudevents+json; charset=utf-8', '{"specversion": "1.0"}', {
    specversion: { S: '1.0' },
  }],
])('%s becomes the input', async (_what, type, body, seen) => {
  const made = await makeWebhook();
  // This request is not checked against the description of the API, which lists application/json only.
  const response = await fetch(made.url, { method: 'POST', headers: { 'content-type': type }, body });
  expect(response.status).toBe(202);
  const { flow_run_id } = await response.json();
  expect((await finishedRun(owner, flow_run_id)).output).toEqual({ M: { seen: { M: seen } } });
});

it('a request with an id starts one run, even if it is repeated concurrently', async () => {
  const made = await makeWebhook();
  const ids = ['webhook-id', 'idempotency-key', 'x-github-delivery'].map((name) => ({ [name]: randomUUID() }));
  for (const headers of ids) {
    const answers = await Promise.all([1, 2, 3, 4].map((n) => post(made.path, `{"try": ${n}}`, headers)));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.flow_run_id}`)).size).toBe(1);
    expect(answers[0]!.status).toBe(202);
  }
  expect(await startsOf(made)).toBe(3);
});

it('accepts an object of many members within the time limit of a statement', async () => {
  const made = await makeWebhook();
  const members = Array.from({ length: 25_000 }, (_, n) => [`k${n}`, 'x']);
  expect(await post(made.path, JSON.stringify(Object.fromEntries(members)))).toMatchObject({ status: 202 });
});

describe('verification', () => {
  const BODY = '{"type": "contact.created", "data": {"name": "Zoë"}}';
  const STANDARD = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

  it('the id of a Stripe event is read as text: its numbers are not expanded', async () => {
    const secret = 'whsec_of_the_endpoint';
    const made = await makeWebhook({ verification: 'stripe', secret });
    // If the numbers were expanded, this body would take 100 MB.
    const body = `{"id": [${Array.from({ length: 800 }, () => '1e131071').join()}]}`;
    expect(await post(made.path, body, signAsStripe(body, secret)))
      .toMatchObject({ status: 400, body: { code: 'inputs_invalid' } });
    const one = '{"id": 7}';
    const runs = await Promise.all([1, 2].map(() => post(made.path, one, signAsStripe(one, secret))));
    expect(new Set(runs.map(({ body: { flow_run_id } }) => flow_run_id)).size).toBe(2);
  });

  const styles: [string, secret: string, headers: (body: string, secret: string) => Record<string, string>][] = [
    ['standard_webhooks', STANDARD, (body, secret) => {
      const at = new Date();
      return {
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        'webhook-signature': new Webhook(secret).sign('msg_1', at, body),
      };
    }],
    ['github', "It's a Secret to Everybody", (body, secret) => ({
      'x-hub-signature-256': `sha256=${hmac(secret, body)}`,
    })],
    ['stripe', 'whsec_of_the_endpoint', signAsStripe],
    ['authorization', 'Bearer of what Helius sends', (_body, secret) => ({ authorization: secret })],
    ['hmac', 'the client secret of an app at Shopify', (body, secret) => ({
      'x-shopify-hmac-sha256': createHmac('sha256', secret).update(body).digest('base64'),
    })],
  ];

  it.each(styles)(
    '%s: signed requests are accepted, and all others get the same 401',
    async (verification, secret, sign) => {
      const hmac = { header: 'X-Shopify-Hmac-Sha256', encoding: 'base64' };
      const made = await makeWebhook({ verification, secret, ...(verification === 'hmac' && { hmac }) });
      expect(await post(made.path, BODY, sign(BODY, secret))).toMatchObject({ status: 202 });
      const other = verification === 'standard_webhooks'
        ? `whsec_${Buffer.alloc(24).toString('base64')}`
        : `${secret}!`;
      const refusals = await Promise.all([
        post(made.path, BODY),
        post(made.path, BODY, sign(BODY, other)),
        ...(verification === 'authorization' ? [] : [
          post(made.path, `${BODY} `, sign(BODY, secret)),
          // A decoder that drops the byte order mark would verify another text than the one sent.
          post(made.path, `\uFEFF${BODY}`, sign(BODY, secret)),
        ]),
      ]);
      expect(new Set(refusals.map((refusal) => JSON.stringify(refusal)))).toEqual(
        new Set([JSON.stringify({
          status: 401,
          body: {
            code: 'webhook_signature_invalid',
            message: 'The signature or its time is missing, wrong or too old.',
            details: null,
            hint: null,
            error: 'The signature or its time is missing, wrong or too old.',
          },
        })]),
      );
      expect(await startsOf(made)).toBe(1);
    },
  );

  it.each(styles.filter(([name]) => name !== 'authorization'))(
    '%s: a captured delivery is not accepted as a form',
    async (verification, secret, sign) => {
      const hmac = { header: 'X-Shopify-Hmac-Sha256', encoding: 'base64' };
      const made = await makeWebhook({ verification, secret, ...(verification === 'hmac' && { hmac }) });
      const body = '{"type": "note", "text": "&admin=yes"}';
      expect(await post(made.path, body, { ...sign(body, secret), 'content-type': FORM }))
        .toMatchObject({ status: 415, body: { code: 'media_type_unsupported' } });
      expect(await startsOf(made)).toBe(0);
    },
  );

  it('a captured delivery whose body begins at another dot is not accepted as another delivery', async () => {
    const made = await makeWebhook({ verification: 'standard_webhooks', secret: STANDARD });
    const at = new Date();
    const seconds = Math.floor(at.getTime() / 1_000);
    const [id, rest] = ['msg_1', '{"admin": true}'];
    const body = `{"text": "1.${seconds}.${rest}`;
    const headers = {
      'webhook-timestamp': String(seconds),
      'webhook-signature': new Webhook(STANDARD).sign(id, at, body),
    };
    expect(await post(made.path, rest, { ...headers, 'webhook-id': `${id}.${seconds}.{"text": "1` })).toMatchObject({
      status: 400,
      body: { code: 'request_invalid', message: expect.stringContaining('webhook-id: must not contain a dot') },
    });
    expect(await startsOf(made)).toBe(0);
  });

  it('the headers of Svix count as those of Standard Webhooks, and only if those are missing', async () => {
    const made = await makeWebhook({ verification: 'standard_webhooks', secret: STANDARD });
    const sign = (prefix: string, id: string) => {
      const at = new Date();
      return {
        [`${prefix}-id`]: id,
        [`${prefix}-timestamp`]: String(Math.floor(at.getTime() / 1_000)),
        [`${prefix}-signature`]: new Webhook(STANDARD).sign(id, at, BODY),
      };
    };
    const [first, again, other] = [
      await post(made.path, BODY, sign('svix', 'msg_1')),
      await post(made.path, BODY, sign('svix', 'msg_1')),
      await post(made.path, BODY, { ...sign('svix', 'msg_2'), ...sign('webhook', 'msg_3') }),
    ];
    expect([first.status, other.status]).toEqual([202, 202]);
    expect(again).toEqual(first);
    expect(await post(made.path, BODY, { ...sign('svix', 'msg_4'), 'webhook-signature': 'v1,AAAA' }))
      .toMatchObject({ status: 401 });
    expect(await post(made.path, `${BODY} `, sign('svix', 'msg_5'))).toMatchObject({ status: 401 });
    expect(await post(made.path, BODY, { ...sign('svix', 'msg_6'), 'svix-id': 'msg_7' })).toMatchObject({
      status: 401,
    });
    expect(await startsOf(made)).toBe(2);
  });

  it('a sender that makes its secret after the URL is refused until the owner has set it', async () => {
    const made = await makeWebhook({ verification: 'stripe' });
    const headers = () => signAsStripe('{"id":"evt_1"}', 'whsec_later');
    expect(await post(made.path, '{"id":"evt_1"}', headers())).toMatchObject({ status: 401 });
    await owner.client.rpc('set_webhook_verification', {
      webhook_id: made.id,
      verification: 'stripe',
      secret: 'whsec_later',
    }).throwOnError();
    const [first, second] = [
      await post(made.path, '{"id":"evt_1"}', headers()),
      await post(made.path, '{"id":"evt_1"}', headers()),
    ];
    expect(first.status).toBe(202);
    // The id of the event tells that this is the same request.
    expect(second).toEqual(first);
  });
});

describe('a refused request', () => {
  let made: Made;
  beforeAll(async () => {
    made = await makeWebhook();
  });
  afterAll(async () => expect(await startsOf(made)).toBe(0));

  const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

  it.each<[string, BodyInit, Record<string, string>, number, string]>([
    [
      'a form with files',
      '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n--x--',
      { 'content-type': 'multipart/form-data; boundary=x' },
      415,
      'media_type_unsupported',
    ],
    ['two fields with the same name', 'a=1&a=2', { 'content-type': FORM }, 400, 'request_invalid'],
    ['a form that is not UTF-8', 'a=%ff', { 'content-type': FORM }, 400, 'request_invalid'],
    ['a form of many fields', 'a&'.repeat(500_000), { 'content-type': FORM }, 400, 'request_invalid'],
    ['no body', '', {}, 415, 'media_type_unsupported'],
    ['an empty body of JSON', '', json, 400, 'request_invalid'],
    ['half of a JSON', '{"a": ', json, 400, 'request_invalid'],
    ['two members of the same name', '{"a": {"b": 1, "b": 2}}', json, 400, 'request_invalid'],
    ['a body that is not UTF-8', new Uint8Array([0x22, 0xff, 0xfe, 0x22]), json, 400, 'request_invalid'],
    ['a byte-order mark', '\uFEFF{}', json, 400, 'request_invalid'],
    ['a byte of zero', '{"a": 1}\0', json, 400, 'request_invalid'],
    ['NUL', '"\\u0000"', json, 400, 'request_invalid'],
    ['a lone surrogate', '"\\ud800"', json, 400, 'request_invalid'],
    ['a number of many digits', '1e200000', json, 400, 'request_invalid'],
    ['a number beyond the range of floats', '1e400', json, 400, 'inputs_invalid'],
    ['65 levels', deep(65), json, 400, 'inputs_invalid'],
    ['100,000 levels', deep(100_000), json, 400, 'request_invalid'],
    ['more than a megabyte', JSON.stringify('x'.repeat(1_048_576)), json, 413, 'body_too_large'],
    ['a megabyte of numbers', `[${'1,'.repeat(524_280)}1]`, json, 400, 'request_invalid'],
    ['more numbers than a value can hold', `[${'1,'.repeat(104_857)}1]`, json, 400, 'request_invalid'],
    ['texts too large with their tags', `["${`${'x'.repeat(110)}","`.repeat(9000)}"]`, json, 413, 'inputs_too_large'],
    ['an id of 256 characters', '{}', { ...json, 'webhook-id': 'x'.repeat(256) }, 400, 'idempotency_key_invalid'],
  ])('%s', async (_what, body, headers, status, code) => {
    const response = await call(made.path, { body, headers });
    expect([response.status, (await response.json()).code]).toEqual([status, code]);
  });

  it.each<[string, BodyInit, Record<string, string>, number, string]>([
    ['NUL', '"a\\u0000"', json, 400, "A text in the body holds NUL (\\u0000), which can't be stored."],
    ['NUL in a name', '{"\\u0000": 1}', json, 400, "A text in the body holds NUL (\\u0000), which can't be stored."],
    ['a byte of zero', '{"a": 1}\0', json, 400, "The body holds NUL, which can't be stored."],
    ['NUL in a form', 'a=%00', { 'content-type': FORM }, 400, "The form holds NUL (%00), which can't be stored."],
    ['the first half of a pair', '"\\ud83d"', json, 400, 'A text in the body holds half a surrogate pair'],
    ['the second half of a pair', '["\\ude00"]', json, 400, 'A text in the body holds half a surrogate pair'],
    ['many digits', '1e200000', json, 400, 'A number in the body has more digits than can be stored.'],
    ['names given twice', '{"a": 1, "a": 2}', json, 400, 'An object in the body has two members of the same name.'],
    ['no JSON', '{"a": ', json, 400, 'The body must be JSON.'],
    [
      'a compressed body',
      gzipSync('{"a": 1}'),
      { ...json, 'content-encoding': 'gzip' },
      415,
      'The body is compressed, which this route does not read.',
    ],
  ])('%s is named as the cause', async (_what, body, headers, status, message) => {
    const response = await call(made.path, { body, headers });
    expect([response.status, (await response.json()).message]).toEqual([status, expect.stringContaining(message)]);
  });

  it('unknown, malformed and deleted tokens, and other kinds of tokens, get the same answer', async () => {
    const gone = await makeWebhook();
    expect((await post(gone.path, '{}')).status).toBe(202);
    await owner.client.from('flow_webhooks').delete().eq('id', gone.id).throwOnError();
    const paused = await makeWebhook();
    await owner.client.from('flow_webhooks').update({ is_active: false }).eq('id', paused.id).throwOnError();
    const token = gone.path.split('/').at(-1)!;
    const paths = [
      gone.path,
      paused.path,
      `deployment/hook/fh_${'A'.repeat(43)}`,
      `deployment/hook/${token.slice(0, -1)}`,
      `deployment/hook/${token}x`,
      `deployment/hook/fr_${'A'.repeat(64)}`,
      `deployment/hook/${made.id}`,
      'deployment/hook/%00',
    ];
    const answers = await Promise.all(paths.map(async (path) => {
      const response = await call(path, { body: '{}', headers: json });
      const headers = [...response.headers].filter(([name]) => name !== 'date');
      return JSON.stringify([response.status, await response.text(), headers]);
    }));
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toContain('webhook_not_found');
  });

  it('a credential has no effect', async () => {
    const response = await call(`deployment/hook/fh_${'A'.repeat(43)}`, {
      token: owner.token,
      body: '{}',
      headers: json,
    });
    expect(response.status).toBe(404);
  });

  it('another method', async () => {
    const response = await call(made.path, { method: 'GET' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });
});

it('requests to the URL count for the limits of the deployment, as one caller', async () => {
  const flow = new FlowBuilder();
  flow.input('event');
  const limited = await storeFlow(owner, flow);
  const deploymentId = await deploy(owner, limited);
  await owner.client.from('flow_deployments').update({ max_starts_per_minute: 0 }).eq('id', deploymentId)
    .throwOnError();
  const { data } = await owner.client.rpc('create_webhook', { deployment_id: deploymentId, input: 'event' })
    .throwOnError();
  const { id, url } = data as { id: string; url: string };
  const response = await call(url.split('/functions/v1/')[1]!, { body: '{}', headers: json });
  expect([response.status, (await response.json()).details]).toEqual([
    429,
    { limit: 'max_starts_per_minute', value: 0, of: expect.any(String) },
  ]);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  const row = await owner.client.from('flow_webhooks').select('last_error').eq('id', id).single().throwOnError();
  expect((row.data as { last_error: string }).last_error).toMatch(/^start_limit_reached: /);
});
