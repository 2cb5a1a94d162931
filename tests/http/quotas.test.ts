import { beforeAll, expect, it } from 'vitest';
import { adapter, makeKeypair, upsertWallet } from '../support/keypairs.ts';
import { type Person, signUp } from '../support/people.ts';
import { rest } from '../support/rest.ts';

let person: Person;
beforeAll(async () => {
  person = await signUp();
});

it('a user can have 1,000 flows, and the next one is refused with the quota', async () => {
  const flows = Array.from({ length: 1_000 }, (_, index) => ({ name: `flow ${index}` }));
  await person.client.from('flows').insert(flows).throwOnError();
  const { error, status } = await person.client.from('flows').insert({ name: 'one more' });
  expect(status).toBe(409);
  expect(error).toMatchObject({
    code: 'quota_exceeded',
    message: 'You have reached the quota of flows: a user may have 1000 at most.',
  });
  expect(JSON.parse(error!.details)).toEqual({ limit: 1_000, of: 'flows' });

  const { data } = await person.client.from('flows').select('id').eq('user_id', person.id).limit(1).single()
    .throwOnError();
  await person.client.from('flows').delete().eq('id', data.id).throwOnError();
  await person.client.from('flows').insert({ name: 'in its place' }).throwOnError();
});

it('a user can have 1,000 wallets, and can still change them', async () => {
  const keys = Array.from({ length: 1_000 }, makeKeypair);
  await person.client.from('wallets').insert(keys.map(({ publicKey }) => ({ type: 'ADAPTER', public_key: publicKey })))
    .throwOnError();
  expect((await upsertWallet(person, { ...adapter(keys[0]!.publicKey), name: 'renamed' })).status).toBe(200);
  const response = await upsertWallet(person, adapter(makeKeypair().publicKey));
  expect([response.status, await response.json()]).toMatchObject([409, {
    code: 'quota_exceeded',
    details: { limit: 1_000, of: 'wallets' },
  }]);
});

it('of 104 concurrent API keys a user gets exactly 100', async () => {
  const make = () => rest('rpc/create_api_key', { token: person.token, body: { name: 'key' } });
  const answers = await Promise.all(Array.from({ length: 104 }, make));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(100);
  expect(answers.filter(({ body }) => body.code === 'quota_exceeded')).toHaveLength(4);
  const { count } = await person.client.from('api_keys').select('*', { count: 'exact', head: true }).throwOnError();
  expect(count).toBe(100);
});
