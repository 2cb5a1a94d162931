import { randomUUID } from 'node:crypto';
import type { ActionGetResponse, ActionsJson } from '@solana/actions-spec';
import { ACTIONS_CORS_HEADERS, BLOCKCHAIN_IDS } from '@solana/actions';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { deployAction } from '../support/actions.ts';
import { FlowBuilder, textFlow } from '../support/flow_builder.ts';
import { makeKeypair } from '../support/keypairs.ts';
import { call, deploy, type Person, signUp, storeFlow } from '../support/people.ts';
import { createApiKey } from '../support/tokens.ts';

const ACCOUNT = 'da18mgixFBWYWT1xx4YoiGBpa24ZHhKZ3ETLeDpf8Bs';
/** A Solana network at whose address nothing listens. */
const nowhere = { url: 'http://127.0.0.1:9' };
const asAction = { output_instructions: true };

let owner: Person;
beforeAll(async () => {
  owner = await signUp();
});

const get = (path: string, headers: Record<string, string> = {}) => call(`action/${path}`, { method: 'GET', headers });
const post = (path: string, body: unknown = { account: ACCOUNT }, headers: Record<string, string> = {}) =>
  call(`action/${path}`, {
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  });
const plain = (path: string, init?: RequestInit) => fetch(`${inject('stack').FUNCTIONS_URL}/action/${path}`, init);

/** A flow in which a buyer pays a recipient, with a note. */
function tipFlow(): FlowBuilder {
  const flow = new FlowBuilder();
  const buyer = flow.input('account');
  flow.use('transfer_sol', {
    sender: buyer,
    recipient: flow.input('recipient'),
    amount: flow.input('amount', 0.5),
  });
  flow.use('memo', { fee_payer: buyer, memo: flow.input('note') });
  return flow;
}

const KEY_PATTERN = '^[1-9A-HJ-NP-Za-km-z]{32,44}$';

describe('the GET of an action', () => {
  let id: string;
  let flowId: number;
  beforeAll(async () => {
    id = await deployAction(owner, nowhere, tipFlow(), {
      ...asAction,
      name: '<b>Tip</b>',
      description: 'Thank the cook.',
    });
    const row = await owner.client.from('flow_deployments').select('entrypoint').eq('id', id).single().throwOnError();
    flowId = row.data.entrypoint;
  });

  it('has a field for each input except the one for the wallet', async () => {
    const answer = await get(id);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    const action = await answer.json() as ActionGetResponse;
    expect(action).toEqual({
      type: 'action',
      icon: `${inject('stack').FUNCTIONS_URL}/action/icon.svg`,
      title: '<b>Tip</b>',
      description: 'Thank the cook.',
      label: 'Review and sign',
      links: {
        actions: [{
          type: 'transaction',
          label: 'Review and sign',
          href: expect.stringMatching(
            new RegExp(
              String
                .raw`^/functions/v1/action/${id}\?recipient={recipient}&amount=0\.5&note={note}&x-order-id=[\w-]{22}$`,
            ),
          ),
          parameters: [
            {
              type: 'text',
              name: 'recipient',
              label: expect.stringMatching(/^recipient/),
              required: true,
              pattern: KEY_PATTERN,
              patternDescription: expect.any(String),
            },
            {
              type: 'number',
              name: 'amount',
              label: expect.stringMatching(/^amount.*\(0\.5 if left empty\)$/),
              required: false,
              pattern: expect.any(String),
              patternDescription: expect.any(String),
            },
            { type: 'text', name: 'note', label: expect.stringMatching(/^note/), required: true },
          ],
        }],
      },
    });
  });

  it('is the same for a flow and tag', async () => {
    const action = await (await get(`${flowId}/latest`)).json() as ActionGetResponse;
    expect(action.title).toBe('<b>Tip</b>');
    expect(action.links?.actions[0]?.href).toMatch(`/functions/v1/action/${flowId}/latest?recipient={recipient}`);
  });

  it('keeps the inputs that the link fills in', async () => {
    const action = await (await get(`${id}?note=table%204&utm_source=qr`)).json() as ActionGetResponse;
    expect(action.links?.actions[0]?.href)
      .toMatch(`/functions/v1/action/${id}?note=table%204&recipient={recipient}&amount=0.5&x-order-id=`);
    expect(action.links?.actions[0]?.parameters?.map(({ name }) => name)).toEqual(['recipient', 'amount']);
  });

  it('has a new order each time, which caches must not store', async () => {
    const answers = await Promise.all([1, 2].map(() => get(id)));
    expect(answers.map(({ headers }) => headers.get('cache-control'))).toEqual(['no-store', 'no-store']);
    const actions = await Promise.all(answers.map((answer) => answer.json() as Promise<ActionGetResponse>));
    expect(new Set(actions.map(({ links }) => links?.actions[0]?.href)).size).toBe(2);
  });

  it('is refused if the link fills in an invalid value', async () => {
    const answer = await get(`${id}?amount=much`);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ code: 'inputs_invalid', message: expect.stringMatching(/^amount /) });
  });

  it('is disabled with a reason if no input takes the wallet', async () => {
    const other = await deployAction(owner, nowhere, textFlow(), asAction);
    const action = await (await get(other)).json() as ActionGetResponse;
    expect(action).toMatchObject({ disabled: true, error: { message: expect.stringContaining('`account`') } });
    expect(action.links).toBeUndefined();
    expect(await (await post(other)).json()).toMatchObject({ code: 'action_failed' });
  });

  it("has the owner's picture", async () => {
    const icon_url = 'https://shop.example/icon.png?x=%22%3E';
    const other = await deployAction(owner, nowhere, tipFlow(), { ...asAction, icon_url });
    expect(await (await get(other)).json()).toMatchObject({ icon: icon_url });
  });

  it.each([['mainnet-beta', BLOCKCHAIN_IDS.mainnet], ['testnet', BLOCKCHAIN_IDS.testnet]])(
    'names the chain of the cluster %s',
    async (cluster, chainId) => {
      const other = await deployAction(owner, nowhere, tipFlow(), {
        ...asAction,
        chain_network: { url: 'https://rpc.example', cluster },
      });
      expect((await get(other)).headers.get('x-blockchain-ids')).toBe(chainId);
    },
  );

  it('has no body for HEAD', async () => {
    const answer = await plain(id, { method: 'HEAD' });
    expect([answer.status, await answer.text()]).toEqual([200, '']);
  });
});

describe('wallets in browsers', () => {
  it.each(['OPTIONS', 'GET'])('may read every answer: %s', async (method) => {
    for (const path of [randomUUID(), '7/stable', 'actions.json', 'sent']) {
      const { headers } = await plain(path, {
        method,
        headers: { origin: 'https://wallet.example', 'access-control-request-headers': 'x-mine' },
      });
      const listed = (name: string) => headers.get(name)?.toLowerCase().split(/, */) ?? [];
      expect(headers.get('access-control-allow-origin')).toBe('*');
      for (
        const name of ['Access-Control-Allow-Methods', 'Access-Control-Allow-Headers', 'Access-Control-Expose-Headers']
      ) {
        const wanted = ACTIONS_CORS_HEADERS[name]!.toLowerCase().split(/, */);
        expect(listed(name)).toEqual(expect.arrayContaining(wanted));
      }
      expect(headers.get('x-action-version')).toBe('2.4');
    }
  });

  it.each<[string, number, string, RequestInit]>([
    ['an unknown route', 404, 'a/b/c', {}],
    ['an unknown route, without its body', 404, 'a/b/c', { method: 'HEAD' }],
    ['an unknown deployment, without its body', 404, randomUUID(), { method: 'HEAD' }],
    ['another method', 405, randomUUID(), { method: 'PUT' }],
    ['another method for the icon', 405, 'icon.svg', { method: 'DELETE' }],
    ['a large body', 413, randomUUID(), {
      method: 'POST',
      body: JSON.stringify({ account: ACCOUNT, data: { x: 'x'.repeat(70_000) } }),
    }],
    ['a large body for the look-up', 413, 'sent', {
      method: 'POST',
      body: JSON.stringify({ signature: 'x'.repeat(5_000) }),
    }],
    ['another media type', 415, randomUUID(), { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } }],
    ['no token', 401, 'sent', { method: 'POST', body: JSON.stringify({ signature: '1'.repeat(64) }) }],
  ])('may read the refusal of %s', async (_what, status, path, init) => {
    const answer = await plain(path, { headers: { 'content-type': 'application/json' }, ...init });
    const { headers } = answer;
    expect([answer.status, headers.get('access-control-allow-origin'), headers.get('x-action-version')])
      .toEqual([status, '*', '2.4']);
    expect(headers.get('access-control-expose-headers')).toBe('x-action-version, x-blockchain-ids, retry-after');
    const text = await answer.text();
    if (init.method === 'HEAD') expect(text).toBe('');
    else expect(JSON.parse(text)).toMatchObject({ message: expect.stringMatching(/^[A-Z`].*[.]$/) });
  });

  it('get the chains of actions in a preflight', async () => {
    const { headers } = await plain(randomUUID(), { method: 'OPTIONS' });
    expect(headers.get('x-blockchain-ids')?.split(',').toSorted()).toEqual(Object.values(BLOCKCHAIN_IDS).toSorted());
  });
});

describe('the drawn icon', () => {
  it('is an SVG that may load and run nothing', async () => {
    const answer = await plain('icon.svg');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('image/svg+xml');
    expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await answer.text()).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  });
});

describe('actions.json', () => {
  it("maps a site's pages, and the actions' own addresses, to the actions", async () => {
    const { rules } = await (await get('actions.json')).json() as ActionsJson;
    const apiPath = `${inject('stack').FUNCTIONS_URL}/action/**`;
    expect(rules).toEqual([
      { pathPattern: '/action/**', apiPath },
      { pathPattern: '/functions/v1/action/**', apiPath },
    ]);
  });
});

describe('a request for a deployment that is no action', () => {
  /** All parts of the answers by which an observer could distinguish refusals. */
  const refusals = new Set<string>();
  const paths = new Map<string, string>();

  beforeAll(async () => {
    const flowId = await storeFlow(owner, tipFlow());
    const deployOwn = async (settings: object) => {
      const id = await deploy(owner, flowId);
      await owner.client.from('flow_deployments').update(settings).eq('id', id).throwOnError();
      return id;
    };
    const ofOwner = await deployOwn({ ...asAction, start_permission: 'Owner' });
    const ofUsers = await deployOwn({ ...asAction, start_permission: 'Authenticated' });
    const sending = await deployOwn({ start_permission: 'Anonymous' });
    const deleted = await deployOwn({ ...asAction, start_permission: 'Anonymous' });
    await owner.client.from('flow_deployments').delete().eq('id', deleted).throwOnError();
    await owner.client.from('flow_deployments_tags').insert({ entrypoint: flowId, tag: 'own', deployment_id: ofOwner })
      .throwOnError();
    paths.set('a deployment for its owner', ofOwner);
    paths.set('a deployment for users', ofUsers);
    paths.set('a deployment that sends by itself', sending);
    paths.set('a deleted deployment', deleted);
    paths.set('an unknown id', randomUUID());
    paths.set('a malformed id', "x';--");
    paths.set("an owner's tag", `${flowId}/own`);
    paths.set('an unknown tag', `${flowId}/nothing`);
    paths.set('a malformed tag', `${flowId}/${'x'.repeat(200)}`);
    paths.set('a malformed flow', `99999999999999999999/latest`);
  });

  it.each([
    'a deployment for its owner',
    'a deployment for users',
    'a deployment that sends by itself',
    'a deleted deployment',
    'an unknown id',
    'a malformed id',
    "an owner's tag",
    'an unknown tag',
    'a malformed tag',
    'a malformed flow',
  ])('gets the same 404: %s', async (name) => {
    const credentials: Record<string, string>[] = [
      {},
      { authorization: `Bearer ${owner.token}` },
      { 'x-api-key': (await createApiKey(owner)).key },
      { authorization: 'Bearer nonsense' },
    ];
    for (const headers of credentials) {
      for (
        const answer of [
          await get(paths.get(name)!, headers),
          await post(paths.get(name)!, { account: ACCOUNT }, headers),
        ]
      ) {
        const text = await answer.text();
        expect([answer.status, JSON.parse(text).code]).toEqual([404, 'deployment_not_found']);
        refusals.add(JSON.stringify([text, [...answer.headers].filter(([header]) => header !== 'date')]));
      }
    }
    expect(refusals.size).toBe(1);
  });
});

describe('a start by an action', () => {
  let id: string;
  beforeAll(async () => {
    id = await deployAction(owner, nowhere, tipFlow(), asAction);
  });

  it.each<[string, unknown, Record<string, string>, number, string]>([
    ['no body', '', {}, 400, 'request_invalid'],
    ['no account', {}, {}, 400, 'request_invalid'],
    ['an account that is no key', { account: 'x' }, {}, 400, 'request_invalid'],
    ['an account of 31 bytes', { account: '1'.repeat(31) }, {}, 400, 'request_invalid'],
    ['an account that is no text', { account: 5 }, {}, 400, 'request_invalid'],
    ['no JSON', '{', {}, 400, 'request_invalid'],
    ['another media type', '{}', { 'content-type': 'text/plain' }, 415, 'media_type_unsupported'],
    ['a large body', { account: ACCOUNT, data: { note: 'x'.repeat(70_000) } }, {}, 413, 'body_too_large'],
    ['a long parameter', { account: ACCOUNT, data: { note: 'x'.repeat(10_001) } }, {}, 400, 'request_invalid'],
    ['a parameter missing', { account: ACCOUNT, data: { note: 'x' } }, {}, 400, 'inputs_invalid'],
    ['an unknown parameter', { account: ACCOUNT, data: { nothing: 'x' } }, {}, 400, 'inputs_invalid'],
    ['a malformed key', { account: ACCOUNT, data: { note: 'x', recipient: 'y' } }, {}, 400, 'inputs_invalid'],
    [
      'a key of 33 bytes',
      { account: ACCOUNT, data: { note: 'x', recipient: '1'.repeat(33) } },
      {},
      400,
      'inputs_invalid',
    ],
  ])('with %s is refused with a message', async (_says, body, headers, status, code) => {
    const answer = await post(id, body, headers);
    expect([answer.status, await answer.json()]).toEqual([
      status,
      expect.objectContaining({ code, message: expect.any(String) }),
    ]);
  });

  it('of another method is refused', async () => {
    expect((await plain(id, { method: 'PUT' })).status).toBe(405);
  });

  it('is found again with its order, but not with account and values only', async () => {
    // The run fails, because there is no chain. Only the number of runs counts here.
    const shop = await deployAction(owner, nowhere, tipFlow(), asAction);
    const { links } = await (await get(shop)).json() as ActionGetResponse;
    const { searchParams } = new URL(links!.actions[0]!.href, 'http://project');
    const order = `${shop}?x-order-id=${searchParams.get('x-order-id')}`;
    const body = { account: ACCOUNT, data: { note: 'a note', recipient: ACCOUNT } };
    const runs = async () =>
      (await owner.client.from('flow_run').select('id').eq('deployment_id', shop).throwOnError()).data.length;
    const before = Math.floor(Date.now() / 60_000);
    await Promise.all([1, 2, 3].map(() => post(order, body)));
    if (before === Math.floor(Date.now() / 60_000)) expect(await runs()).toBe(1);
    const own = await runs();
    const { links: others } = await (await get(shop)).json() as ActionGetResponse;
    await post(`${shop}?${others!.actions[0]!.href.split('&').at(-1)}`, body);
    expect(await runs()).toBe(own + 1);
    for (const path of [shop, shop, `${shop}?x-order-id=1`, `${shop}?x-order-id=1`]) await post(path, body);
    expect(await runs()).toBe(own + 5);
  });

  it('that fails reveals nothing of the flow', async () => {
    const data = { note: 'a note', recipient: makeKeypair().publicKey };
    const answer = await post(id, { account: ACCOUNT, data });
    expect([answer.status, await answer.json()]).toEqual([409, {
      code: 'action_failed',
      message: 'The action could not make its transaction. Nothing was paid. Try again in a minute.',
      details: null,
      hint: null,
      error: 'The action could not make its transaction. Nothing was paid. Try again in a minute.',
    }]);
    const runs = await owner.client.from('flow_run').select('status,errors,started_by_public_key').eq(
      'deployment_id',
      id,
    )
      .throwOnError();
    expect(runs.data).toMatchObject([{ status: 'failed', started_by_public_key: ACCOUNT }]);
  });

  it('counts for the limits, with any public key', async () => {
    const limited = await deployAction(owner, nowhere, tipFlow(), { ...asAction, max_starts_per_minute: 0 });
    for (const { publicKey } of [makeKeypair(), makeKeypair()]) {
      const data = { note: 'x', recipient: publicKey };
      const answer = await post(limited, { account: publicKey, data });
      expect(answer.status).toBe(429);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await answer.json()).toMatchObject({
        code: 'start_limit_reached',
        message: 'Too many people use this action right now. Try again in a minute.',
      });
    }
  });

  it("is started as the wallet's key, even if the request shows another credential", async () => {
    const other = await deployAction(owner, nowhere, tipFlow(), { ...asAction, max_starts_per_minute: 0 });
    const data = { note: 'x', recipient: ACCOUNT };
    const answer = await post(other, { account: ACCOUNT, data }, { authorization: `Bearer ${owner.token}` });
    expect(answer.status, 'the owner is not limited').toBe(429);
  });
});

describe('the report of a sent transaction', () => {
  const signature = '4M5txFZz3Ud1NCBPdWxLF1VT23mFWVMaeZXZiQeuCg7d3rM79j5ppJmr24PCHuQVsKm3Eqeu7rJ512Vzo7WfQQ1t';

  it.each<[string, string, unknown, number, string]>([
    ['without a token', 'sent', { signature }, 401, 'token_invalid'],
    ['with a malformed token', 'sent?token=fr_x', { signature }, 401, 'token_invalid'],
    ['with a forged token', `sent?token=fr_${'B'.repeat(64)}`, { signature }, 401, 'token_invalid'],
    ['with a malformed signature', `sent?token=fr_${'B'.repeat(64)}`, { signature: 'x' }, 400, 'request_invalid'],
    ['without a signature', 'sent', {}, 400, 'request_invalid'],
  ])('%s is refused', async (_says, path, body, status, code) => {
    const answer = await post(path, body);
    expect([answer.status, await answer.json()]).toEqual([status, expect.objectContaining({ code })]);
  });

  it('with the token of another run is refused', async () => {
    const other = await deployAction(owner, nowhere, textFlow());
    const started = await call(`deployment/start?id=${other}`, { headers: { authorization: `Bearer ${ACCOUNT}` } });
    const { token } = await started.json() as { token: string };
    const answer = await post(`sent?token=${token}`, { signature });
    expect([answer.status, await answer.json()]).toEqual([
      404,
      expect.objectContaining({ code: 'flow_run_not_found' }),
    ]);
  });
});
