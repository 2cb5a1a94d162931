import { randomUUID } from 'node:crypto';
import { base58, base64 } from '@scure/base';
import { beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { NO_PROGRESS } from '../../runner/queue/claim/claims.ts';
import { type ClaimedRun, claimOf, makeClaimedRun, stackClaims } from '../support/claimed_run.ts';
import { textFlow } from '../support/flow_builder.ts';
import { type Keypair, makeKeypair } from '../support/keypairs.ts';
import { call, finishedRun, type Person, signUp, storeFlow } from '../support/people.ts';
import {
  askFor,
  getRequest,
  makeMessage,
  makeRequest,
  makeTransaction,
  readRequest,
  signMessage,
  submit,
} from '../support/signature_requests.ts';
import { asSuperuser } from '../support/tokens.ts';

let owner: Person;
let run: ClaimedRun;
let payer: Keypair;
let message: string;
beforeAll(async () => {
  owner = await signUp();
});
beforeEach(async () => {
  run = await makeClaimedRun(owner.id);
  payer = makeKeypair();
  message = makeMessage(payer.publicKey);
});

const answerOf = async (response: Response) => [response.status, (await response.json()).code];
const storedAnswer = async (id: number) => {
  const { data } = await owner.client.from('signature_requests').select('signature, new_msg').eq('id', id).single()
    .throwOnError();
  return data;
};

describe('GET /flow/signature_request/{flow_run_id}', () => {
  it('answers with the oldest open request', async () => {
    const signatures = [{ pubkey: payer.publicKey, signature: signMessage(payer, message) }];
    await askFor(run, payer, message, { timeout_ms: -1 });
    const id = await askFor(run, payer, message, { timeout_ms: 90_500, signatures });
    await askFor(run, makeKeypair());
    const before = Date.now();
    const response = await getRequest(run.id, owner.token, 100);
    expect(Date.now() - before).toBeLessThan(60_000);
    expect(response.status).toBe(200);
    const request = await response.json();
    expect(request).toEqual({
      id,
      kind: 'transaction_message',
      time: expect.any(Number),
      pubkey: payer.publicKey,
      message,
      timeout: 90.5,
      flow_run_id: run.id,
      signatures,
    });
    expect(Number.isInteger(request.time)).toBe(true);
    expect(Math.abs(request.time - before)).toBeLessThan(60_000);
  });

  it('waits for the next one', async () => {
    const waiting = getRequest(run.id, run.token, null);
    const [request] = await Promise.all([waiting.then((response) => response.json()), askFor(run, payer, message)]);
    expect(request).toMatchObject({ pubkey: payer.publicKey, message, signatures: null });
  });

  it('waits for the run with its id in upper or lower case', async () => {
    const before = Date.now();
    const waiting = getRequest(run.id.toUpperCase(), run.token, null);
    // This second request is answered after the first one has begun to wait.
    expect((await getRequest(run.id, run.token, 0)).status).toBe(204);
    const id = await askFor(run, payer, message);
    expect(await (await waiting).json()).toMatchObject({ id, flow_run_id: run.id });
    expect(Date.now() - before).toBeLessThan(60_000);
  });

  it('answers 204 without a body when the time is over', async () => {
    for (const wait of [0, 0.3]) {
      const response = await getRequest(run.id, owner.token, wait);
      expect([response.status, await response.text()]).toEqual([204, '']);
    }
    await askFor(run, payer, message, { timeout_ms: -1 });
    expect((await getRequest(run.id, owner.token)).status).toBe(204);
  });

  it('answers 404 after the run has ended, also to waiting callers', async () => {
    await askFor(run, payer, message);
    const waiting = makeClaimedRun(owner.id).then(async (other) => {
      const [response] = await Promise.all([getRequest(other.id, owner.token, null), other.end()]);
      return await answerOf(response);
    });
    await run.end();
    expect(await answerOf(await getRequest(run.id, owner.token))).toEqual([404, 'signature_request_not_found']);
    expect(await waiting).toEqual([404, 'signature_request_not_found']);
    // Clients of the reference end their polling by this text.
    expect(await (await getRequest(run.id, owner.token)).json()).toMatchObject({
      error: 'not found',
      message: 'The run has ended, so it asks for no signature.',
    });
  });

  it('returns requests of called runs for the started run and for each run of its tree', async () => {
    const child = randomUUID();
    await stackClaims().checkpoint(run.claim, {
      ...NO_PROGRESS,
      children: [{
        id: child,
        flow_id: 1,
        inputs: { M: {} },
        parent_flow_run_id: run.id,
        parent_node_id: randomUUID(),
        parent_times: 0,
        status: 'running',
        start_time: new Date().toISOString(),
        end_time: null,
        output: null,
        errors: null,
        not_run: null,
        start_position: 1,
        end_position: null,
      }],
    });
    const waiting = getRequest(child, owner.token, null);
    const [asked] = await stackClaims().storeTransaction(run.claim, makeTransaction(child, message), [
      makeRequest(payer.publicKey, message),
    ]);
    for (const response of [await waiting, await getRequest(run.id, run.token), await getRequest(child, owner.token)]) {
      expect(await response.json()).toMatchObject({ id: asked!.id, flow_run_id: child });
    }
  });

  it("answers the same 404 for another user's run and a missing one, and 400 to a malformed id", async () => {
    const other = await signUp();
    const answers = await Promise.all([run.id, randomUUID()].map(async (id) => {
      const response = await getRequest(id, other.token);
      return [response.status, await response.text()];
    }));
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]).toEqual([404, expect.stringContaining('flow_run_not_found')]);
    expect(await answerOf(await getRequest('nonsense', owner.token))).toEqual([400, 'request_invalid']);
    expect(await answerOf(await call(`flow/signature_request/${run.id}?wait=x`, { method: 'GET', token: owner.token })))
      .toEqual([400, 'request_invalid']);
  });
});

describe('POST /signature/submit', () => {
  it('stores the signature that a wallet makes of the message', async () => {
    await askFor(run, payer, message);
    const request = await readRequest(run.id, run.token);
    const signature = signMessage(payer, request.message);
    const response = await submit({ id: request.id, signature }, run.token);
    expect([response.status, await response.json()]).toEqual([200, { success: true }]);
    expect(await storedAnswer(request.id)).toEqual({ signature, new_msg: null });
    expect((await getRequest(run.id, run.token)).status).toBe(204);
    const { transactions } = await stackClaims().history(claimOf(run.id, 2));
    expect(transactions).toMatchObject([{
      message,
      slot: '7',
      requests: [{ id: request.id, pubkey: payer.publicKey, signature, new_msg: null }],
    }]);
  });

  it('accepts a message to which the fee payer added a higher price, and ignores an unchanged one', async () => {
    const changed = makeMessage(payer.publicKey, { price: 5_000n });
    for (const new_msg of [changed, message]) {
      const id = await askFor(run, payer, message);
      const signature = signMessage(payer, new_msg);
      expect((await submit({ id, signature, new_msg }, owner.token)).status).toBe(200);
      expect(await storedAnswer(id)).toEqual({ signature, new_msg: new_msg === message ? null : changed });
    }
  });

  it('refuses another transaction, names each difference, and keeps the request open', async () => {
    const id = await askFor(run, payer, message);
    const new_msg = makeMessage(payer.publicKey, { texts: ['hello', 'and good bye'] });
    const response = await submit({ id, signature: signMessage(payer, new_msg), new_msg }, owner.token);
    expect([response.status, await response.json()]).toEqual([400, {
      code: 'transaction_changed',
      message: expect.stringContaining('instructions[2]'),
      error: expect.stringContaining('instructions[2]'),
      details: [{ path: 'instructions[2]', message: expect.stringContaining('was added') }],
      hint: expect.any(String),
    }]);
    expect((await submit({ id, signature: signMessage(payer, message) }, owner.token)).status).toBe(200);
  });

  it('refuses a change that would invalidate other signatures, and keeps the request open', async () => {
    const other = makeKeypair();
    const signatures = [{ pubkey: other.publicKey, signature: signMessage(other, message) }];
    const signed = await askFor(run, payer, message, { signatures });
    const [asked] = await stackClaims().storeTransaction(run.claim, makeTransaction(run.id, message), [
      makeRequest(payer.publicKey, message),
      makeRequest(other.publicKey, message),
    ]);
    const new_msg = makeMessage(payer.publicKey, { price: 5_000n });
    for (const id of [signed, asked!.id]) {
      const response = await submit({ id, signature: signMessage(payer, new_msg), new_msg }, owner.token);
      expect([response.status, await response.json()]).toMatchObject([400, {
        code: 'transaction_changed',
        message: expect.stringContaining('a change would make their signatures invalid'),
        details: null,
      }]);
      expect((await submit({ id, signature: signMessage(payer, message), new_msg: message }, owner.token)).status)
        .toBe(200);
    }
  });

  it('refuses a wrong signature, and keeps the request open', async () => {
    const id = await askFor(run, payer, message);
    const right = base58.decode(signMessage(payer, message));
    const changed = makeMessage(payer.publicKey, { price: 5_000n });
    const wrong = [
      // A signature by another key, two of another message, and one with a flipped bit.
      { signature: signMessage(makeKeypair(), message) },
      { signature: signMessage(payer, changed) },
      { signature: signMessage(payer, message), new_msg: changed },
      { signature: base58.encode(right.map((byte, index) => index === 40 ? byte ^ 1 : byte)) },
      { signature: base58.encode(new Uint8Array(64)) },
    ];
    for (const params of wrong) {
      expect(await answerOf(await submit({ id, ...params }, owner.token))).toEqual([400, 'signature_invalid']);
    }
    expect(await storedAnswer(id)).toEqual({ signature: null, new_msg: null });
    expect((await submit({ id, signature: base58.encode(right) }, owner.token)).status).toBe(200);
  });

  it('accepts a signature of bytes that are no transaction, but no change of them', async () => {
    const bytes = base64.encode(new Uint8Array(32).fill(9));
    const id = await askFor(run, payer, bytes);
    expect(await answerOf(await submit({ id, signature: signMessage(payer, message), new_msg: message }, owner.token)))
      .toEqual([400, 'transaction_changed']);
    expect((await submit({ id, signature: signMessage(payer, bytes) }, owner.token)).status).toBe(200);
  });

  it('answers 409 with the state to a late answer', async () => {
    const answered = await askFor(run, payer, message);
    const signature = signMessage(payer, message);
    const codes = await Promise.all(
      [1, 2, 3].map(async () => (await submit({ id: answered, signature }, owner.token)).status),
    );
    expect(codes.toSorted()).toEqual([200, 409, 409]);
    const expired = await askFor(run, payer, message, { timeout_ms: -1 });
    const state = { new_msg: null, expires_at: expect.any(String), run_status: 'running' };
    const answers = [
      [answered, { code: 'signature_request_answered', details: { ...state, signature } }],
      [expired, { code: 'signature_request_expired', details: { ...state, signature: null } }],
    ] as const;
    for (const [id, error] of answers) {
      const response = await submit({ id, signature }, owner.token);
      expect([response.status, await response.json()]).toMatchObject([409, error]);
    }
    const open = await askFor(run, payer, message);
    await run.end();
    const response = await submit({ id: open, signature }, owner.token);
    expect([response.status, await response.json()]).toMatchObject([409, {
      code: 'signature_request_expired',
      details: { ...state, signature: null, run_status: 'stopped' },
    }]);
  });

  it("accepts the fee payer's change with its signature alone, and refuses a too large body", async () => {
    const id = await askFor(run, payer, message);
    const new_msg = makeMessage(payer.publicKey, { price: 5_000n });
    const signature = signMessage(payer, new_msg);
    expect(await answerOf(await submit({ id, signature, new_msg, pad: 'x'.repeat(16_384) } as never, undefined)))
      .toEqual([413, 'body_too_large']);
    expect((await submit({ id, signature, new_msg }, undefined)).status).toBe(200);
    expect(await storedAnswer(id)).toEqual({ signature, new_msg });
  });

  it('refuses a change that would invalidate other signatures, also without another credential', async () => {
    const other = makeKeypair();
    const signatures = [{ pubkey: other.publicKey, signature: signMessage(other, message) }];
    const id = await askFor(run, payer, message, { signatures });
    const new_msg = makeMessage(payer.publicKey, { price: 5_000n });
    expect(await answerOf(await submit({ id, signature: signMessage(payer, new_msg), new_msg }, undefined)))
      .toEqual([400, 'transaction_changed']);
    expect((await submit({ id, signature: signMessage(payer, message) }, undefined)).status).toBe(200);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['an id that is a text', { id: '17' }, 'id'],
    ['an id that is a UUID', { id: randomUUID() }, 'id'],
    ['an id that is no integer', { id: 1.5 }, 'id'],
    ['an id below 0', { id: -1 }, 'id'],
    ['an id of 2^53', { id: 2 ** 53 }, 'id'],
    ['an id that is null', { id: null }, 'id'],
    ['a signature of 63 bytes', { signature: base58.encode(new Uint8Array(63).fill(1)) }, 'signature'],
    ['a signature in base64', { signature: base64.encode(new Uint8Array(64)) }, 'signature'],
    ['a message in base58', { new_msg: '5Hq' }, 'new_msg'],
    ['an empty message', { new_msg: '' }, 'new_msg'],
    ['a message without its padding', { new_msg: 'AQI' }, 'new_msg'],
    ['a message with unused bits that are set', { new_msg: 'AR==' }, 'new_msg'],
    ['a message that fits in no transaction', { new_msg: base64.encode(new Uint8Array(1233)) }, 'new_msg'],
    ['an unknown member', { pubkey: 'x' }, 'pubkey'],
  ])('refuses %s', async (_says, change, path) => {
    const params = { id: 17, signature: signMessage(payer, message), ...change };
    const response = await submit(params as never, owner.token);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'request_invalid', details: [{ path }] });
  });

  it('lets a waiting run continue as soon as the last signature is stored', async () => {
    const flowId = await storeFlow(owner, textFlow());
    // Claim the run as a worker does. The transaction holds the job before a real worker can see it.
    const started = await asSuperuser((sql) =>
      sql.begin(async (tx) => {
        await tx`select set_config('request.jwt.claims', ${
          JSON.stringify({ sub: owner.id, role: 'authenticated' })
        }, true)`;
        const [{ id }] = await tx<[{ id: string }]>`select public.start_flow(${flowId}) ->> 'flow_run_id' as id`;
        await tx`update public.flow_run set status = 'running', start_time = now() where id = ${id}`;
        await tx`
          update private.flow_run_jobs set claim_number = 1, state = 'held', due_at = now() + interval '1 hour'
          where flow_run_id = ${id}`;
        return { id, claim: claimOf(id) };
      })
    );
    const ids = [await askFor(started, payer, message), await askFor(started, payer, message)];
    await stackClaims().suspend(started.claim, NO_PROGRESS);
    const status = async () =>
      (await owner.client.from('flow_run').select('status').eq('id', started.id).single().throwOnError()).data.status;
    const signature = signMessage(payer, message);
    expect(await status()).toBe('waiting');
    await submit({ id: ids[0]!, signature }, owner.token);
    await call('runner', { token: inject('stack').SERVICE_ROLE_KEY });
    expect(await status()).toBe('waiting');
    await submit({ id: ids[1]!, signature }, owner.token);
    expect(await finishedRun(owner, started.id)).toMatchObject({ status: 'succeeded', errors: null });
  });
});

it('the runner cannot replace a transaction that may have been sent', async () => {
  const { storeTransaction } = stackClaims();
  const record = { ...makeTransaction(run.id, message), wire: base64.encode(new Uint8Array(65)) };
  expect(await storeTransaction(run.claim, record, [])).toEqual([]);
  expect(await storeTransaction(run.claim, record, [])).toEqual([]);
  await expect(storeTransaction(run.claim, { ...record, wire: null }, [])).rejects.toMatchObject({ code: 'internal' });
  await expect(storeTransaction(claimOf(run.id, 2), record, [])).rejects.toMatchObject({ code: 'claim_lost' });
});
