import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { type ClaimedRun, makeClaimedRun } from '../support/claimed_run.ts';
import { adapter, type Keypair, makeKeypair, upsertWallet } from '../support/keypairs.ts';
import { type Person, signUp } from '../support/people.ts';
import { askFor, getRequest, makeMessage, signMessage, submit } from '../support/signature_requests.ts';
import { accessToken, anonymousSignIn, createApiKey, deleteUser } from '../support/tokens.ts';

const PUBLIC_KEY = 'da18mgixFBWYWT1xx4YoiGBpa24ZHhKZ3ETLeDpf8Bs';

const callers = [
  'owner',
  'API key of owner',
  'starter',
  'API key of starter',
  'run token',
  'run token in its own header',
  'other user with the run token in its own header',
  'other user',
  'API key of other',
  'anonymous sign-in',
  'token of another run',
  'public key',
  'anon key as bearer',
  'nothing',
  'forged run token',
  'revoked API key',
  'expired token',
  'forged token',
  'token of a deleted user',
  'service role',
] as const;
type Caller = typeof callers[number];

/**
 * The number of callers that may see the request. They come first in the list. All others get the answer for a request
 * that does not exist.
 */
const ADMITTED = 7;
const UNAUTHENTICATED = ['public key', 'anon key as bearer', 'nothing'];
const expected = (caller: Caller): 'admitted' | 'not found' | 'unauthenticated' | 'refused' => {
  const index = callers.indexOf(caller);
  if (index < ADMITTED) return 'admitted';
  if (index < callers.indexOf('public key')) return 'not found';
  return UNAUTHENTICATED.includes(caller) ? 'unauthenticated' : 'refused';
};

interface Shown {
  token?: string;
  headers?: Record<string, string>;
}

let owner: Person;
let starter: Person;
let run: ClaimedRun;
let payer: Keypair;
let message: string;
const shown = {} as Record<Caller, Shown>;

beforeAll(async () => {
  let other: Person;
  [owner, starter, other] = await Promise.all([signUp(), signUp(), signUp()]);
  run = await makeClaimedRun(owner.id, starter.id);
  payer = makeKeypair();
  message = makeMessage(payer.publicKey);
  const revoked = await createApiKey(owner);
  await owner.client.from('api_keys').delete().eq('id', revoked.id).throwOnError();
  const gone = await signUp();
  await deleteUser(gone.id);
  const { ANON_KEY, SERVICE_ROLE_KEY } = inject('stack');
  Object.assign(
    shown,
    {
      owner: { token: owner.token },
      'API key of owner': { headers: { 'x-api-key': (await createApiKey(owner)).key } },
      starter: { token: starter.token },
      'API key of starter': { headers: { 'x-api-key': (await createApiKey(starter)).key } },
      'run token': { token: run.token },
      'run token in its own header': { headers: { 'x-flow-run-token': run.token } },
      'other user with the run token in its own header': {
        token: other.token,
        headers: { 'x-flow-run-token': run.token },
      },
      'other user': { token: other.token },
      'API key of other': { headers: { 'x-api-key': (await createApiKey(other)).key } },
      'anonymous sign-in': { token: (await anonymousSignIn()).token },
      'token of another run': { token: (await makeClaimedRun(owner.id)).token },
      'public key': { token: PUBLIC_KEY },
      'anon key as bearer': { token: ANON_KEY },
      nothing: {},
      'forged run token': { token: run.token.slice(0, -2) + (run.token.endsWith('AA') ? 'BB' : 'AA') },
      'revoked API key': { headers: { 'x-api-key': revoked.key } },
      'expired token': { token: await accessToken(owner.id, { expiresIn: -60 }) },
      'forged token': { token: await accessToken(owner.id, { secret: randomUUID() }) },
      'token of a deleted user': { token: gone.token },
      'service role': { token: SERVICE_ROLE_KEY },
    } satisfies Record<Caller, Shown>,
  );
});

/** An id that no request has. It is below 2^53, as the random ids of requests are. */
const UNKNOWN_ID = 4_611_686_018_427_388;

/** Returns all parts of the answer that could reveal anything to callers. */
async function readAnswer(response: Response) {
  const headers = Object.fromEntries(response.headers);
  delete headers.date;
  return { status: response.status, headers, body: await response.text() };
}

const read = (id: string, caller: Caller) => getRequest(id, shown[caller].token, 0, shown[caller].headers);
const answer = (id: number, caller: Caller, key = payer) =>
  submit({ id, signature: signMessage(key, message) }, shown[caller].token, shown[caller].headers);

describe.each(callers)('%s', (caller) => {
  const verdict = expected(caller);

  it(`is ${verdict} when reading the request`, async () => {
    const id = await askFor(run, payer, message);
    const response = await read(run.id, caller);
    const { status, headers, body } = await readAnswer(response);
    if (verdict === 'admitted') return expect(status).toBe(200);
    if (verdict === 'not found') {
      const unknown = await readAnswer(await read(randomUUID(), caller));
      expect(unknown).toEqual({ status, headers, body });
      expect([status, JSON.parse(body).code]).toEqual([404, 'flow_run_not_found']);
    } else {
      expect(status).toBe(401);
      expect(JSON.parse(body).code === 'unauthenticated').toBe(verdict === 'unauthenticated');
    }
    expect(body).not.toContain(String(id));
  });

  it(`is ${verdict === 'refused' ? 'refused' : 'accepted as the holder of the key'} when answering with its signature`, async () => {
    const id = await askFor(run, payer, message);
    const response = await answer(id, caller);
    const { data } = await owner.client.from('signature_requests').select('signature').eq('id', id).single()
      .throwOnError();
    expect(data.signature !== null).toBe(verdict !== 'refused');
    if (verdict !== 'refused') {
      return expect([response.status, await response.json()]).toEqual([200, { success: true }]);
    }
    const { code } = await response.json();
    expect([response.status, code === 'unauthenticated']).toEqual([401, false]);
  });

  it.runIf(verdict === 'not found' || verdict === 'unauthenticated')(
    'learns nothing of a request without its signature, even whether it exists',
    async () => {
      const { status, headers, body } = await readAnswer(await answer(UNKNOWN_ID, caller));
      expect([status, JSON.parse(body).code]).toEqual([404, 'signature_request_not_found']);
      const answered = await askFor(run, payer, message);
      await submit({ id: answered, signature: signMessage(payer, message) }, owner.token);
      const expired = await askFor(run, payer, message, { timeout_ms: -1 });
      const open = await askFor(run, payer, message);
      const other = makeKeypair();
      // The signature of the key for another transaction, which anybody can find on the chain.
      const public_ = makeMessage(payer.publicKey, { texts: ['hello', 'and good bye'] });
      const changed = makeMessage(payer.publicKey, { price: 5_000n });
      const wrong = [answered, expired, open].flatMap((id) => [
        { id, signature: signMessage(other, message) },
        { id, signature: signMessage(other, changed), new_msg: changed },
        { id, signature: signMessage(payer, public_), new_msg: public_ },
        { id, signature: signMessage(payer, message), new_msg: changed },
      ]);
      for (const params of wrong) {
        const told = await readAnswer(await submit(params, shown[caller].token, shown[caller].headers));
        expect(told).toEqual({ status, headers, body });
      }
      expect((await answer(open, caller)).status).toBe(200);
    },
  );

  it.runIf(verdict === 'not found' || verdict === 'unauthenticated')(
    'learns with the signature only that a request is answered or expired',
    async () => {
      const answered = await askFor(run, payer, message);
      const expired = await askFor(run, payer, message, { timeout_ms: -1 });
      expect((await answer(answered, caller)).status).toBe(200);
      const states = [[answered, 'signature_request_answered'], [expired, 'signature_request_expired']] as const;
      for (const [id, code] of states) {
        const response = await answer(id, caller);
        expect([response.status, await response.json()]).toEqual([409, {
          code,
          message: expect.any(String),
          details: null,
          hint: null,
          error: expect.any(String),
        }]);
      }
    },
  );
});

it('only the owner, the user whose key is asked and the holder of the token can read the row', async () => {
  const ids: Record<string, number> = { starters: await askFor(run, payer, message) };
  await upsertWallet(owner, adapter(payer.publicKey));
  ids.owners = await askFor(run, payer, message);
  const seen = async (person: Person) =>
    (await person.client.from('signature_requests').select('id').in('id', Object.values(ids)).order('created_at')
      .throwOnError()).data.map(({ id }) => id);
  expect(await seen(owner)).toEqual([ids.starters, ids.owners]);
  expect(await seen(starter)).toEqual([ids.starters]);
  expect(await seen(await signUp())).toEqual([]);
});
