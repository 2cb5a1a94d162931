import { expect, test } from 'vitest';
import { upsertConnectionParamsSchema } from '../../types/connection.ts';
import { NEW_CONNECTION, toStore } from './draft.ts';
import { KINDS, type NewConnectionKind } from './kinds.ts';

test.for(Object.keys(KINDS) as NewConnectionKind[])(
  'the filled form of kind %s is a request that the API takes',
  (kind) => {
    const secret = Object.fromEntries(
      KINDS[kind].fields.filter(({ choices }) => choices === undefined)
        .map(({ name }) => [name, name === 'token_url' ? 'https://auth.example.com/token' : 'a-long-secret']),
    );
    const draft = { ...NEW_CONNECTION, name: 'shop', kind, hosts: 'api.example.com', place: 'x-key', secret };
    expect(upsertConnectionParamsSchema.safeParse(toStore(draft)).error).toBeUndefined();
  },
);

test('hosts are read from lines and pasted addresses, and members of other kinds are left out', () => {
  const secret = { token: 'abcdefgh', password: 'other' };
  expect(toStore({ ...NEW_CONNECTION, name: 'a', hosts: 'https://a.example.com/v1\n\n b.example.com', secret }))
    .toEqual({
      name: 'a',
      kind: 'bearer',
      hosts: ['a.example.com/v1', 'b.example.com'],
      secret: { token: 'abcdefgh' },
    });
});

test('an empty optional field is left out, but an empty password of a user is sent', () => {
  const hosts = 'a.example.com';
  const oauth = { token_url: 'https://a.example.com/token', client_id: 'me', refresh_token: 'abcdefgh' };
  expect(toStore({ ...NEW_CONNECTION, kind: 'oauth2_refresh_token', hosts, secret: oauth }).secret)
    .toEqual({ ...oauth, client_auth: 'basic' });
  expect(toStore({ ...NEW_CONNECTION, kind: 'basic', hosts, secret: { user: 'sk_12345678' } }).secret)
    .toEqual({ user: 'sk_12345678', password: '' });
});
