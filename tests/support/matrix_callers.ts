import { inject } from 'vitest';
import { type Person, signUp } from './people.ts';
import { accessToken, anonymousSignIn, createApiKey, deleteUser } from './tokens.ts';

export const PUBLIC_KEY = 'da18mgixFBWYWT1xx4YoiGBpa24ZHhKZ3ETLeDpf8Bs';

/** All kinds of callers, with and without rights. */
export const callers = [
  'owner',
  'other user',
  'anonymous sign-in',
  'API key of owner',
  'API key of other',
  'revoked API key',
  'public key',
  'anon key as bearer',
  'publishable key as bearer',
  'nothing',
  'expired token',
  'forged token',
  'token of a deleted user',
  'service role',
] as const;
export type Caller = typeof callers[number];

/** The people behind the callers, and the credential of each caller. */
interface Callers {
  owner: Person;
  other: Person;
  anonymous: Pick<Person, 'id' | 'token'>;
  headers: Record<Caller, Record<string, string>>;
}

export async function makeCallers(): Promise<Callers> {
  const { ANON_KEY, PUBLISHABLE_KEY, SERVICE_ROLE_KEY } = inject('stack');
  const [owner, other, anonymous, gone] = await Promise.all([signUp(), signUp(), anonymousSignIn(), signUp()]);
  const [ownerKey, otherKey, revokedKey] = await Promise.all([
    createApiKey(owner),
    createApiKey(other),
    createApiKey(owner),
  ]);
  await owner.client.from('api_keys').delete().eq('id', revokedKey.id);
  await deleteUser(gone.id);
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const headers = {
    owner: bearer(owner.token),
    'other user': bearer(other.token),
    'anonymous sign-in': bearer(anonymous.token),
    'API key of owner': { 'x-api-key': ownerKey.key },
    'API key of other': { 'x-api-key': otherKey.key },
    'revoked API key': { 'x-api-key': revokedKey.key },
    'public key': bearer(PUBLIC_KEY),
    'anon key as bearer': bearer(ANON_KEY),
    'publishable key as bearer': bearer(PUBLISHABLE_KEY),
    nothing: {},
    'expired token': bearer(await accessToken(owner.id, { expiresIn: -60 })),
    'forged token': bearer(await accessToken(owner.id, { secret: 'another secret of the same length' })),
    'token of a deleted user': bearer(gone.token),
    'service role': bearer(SERVICE_ROLE_KEY),
  };
  return { owner, other, anonymous, headers };
}

/** Returns a caller's relation to the owner's rows. */
export function kindOf(caller: Caller): 'owner' | 'other' | 'nobody' | 'service role' | 'refused' {
  switch (caller) {
    case 'owner':
    case 'API key of owner':
      return 'owner';
    case 'other user':
    case 'anonymous sign-in':
    case 'API key of other':
    // The token of a deleted user is valid until it expires, but it can read no rows.
    case 'token of a deleted user':
      return 'other';
    case 'anon key as bearer':
    case 'publishable key as bearer':
    case 'nothing':
      return 'nobody';
    case 'service role':
      return 'service role';
    default:
      return 'refused';
  }
}

/** Returns a caller's answer on /rest/v1: the status, and the error's code or the number of rows. */
export async function askRest(
  headers: Record<string, string>,
  method: string,
  path: string,
  body?: object,
): Promise<[number, string | number]> {
  const { API_URL, PUBLISHABLE_KEY } = inject('stack');
  const response = await fetch(`${API_URL}/rest/v1/${path}`, {
    method,
    headers: {
      apikey: PUBLISHABLE_KEY,
      ...headers,
      'content-type': 'application/json',
      prefer: 'return=representation',
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const answer = text === '' ? [] : JSON.parse(text);
  return [response.status, response.ok ? Array.isArray(answer) ? answer.length : 1 : answer.code];
}
