import { base58 } from '@scure/base';
import { randomBytes, randomUUID } from 'node:crypto';

/** Makes a public key without a known secret key. */
export const madeUpKey = (): string => base58.encode(randomBytes(32));

/** Encodes JSON, or random bytes, as base64url. */
const base64url = (content: object | number): string =>
  (typeof content === 'number' ? randomBytes(content) : Buffer.from(JSON.stringify(content))).toString('base64url');

/** Makes an access token of the right form. Its user and its signing key do not exist. */
const inventedToken = (header: object): string => {
  const now = Math.floor(Date.now() / 1_000);
  const claims = { sub: randomUUID(), role: 'authenticated', aud: 'authenticated', iat: now, exp: now + 3_600 };
  return `${base64url(header)}.${base64url(claims)}.${base64url(64)}`;
};

/** Functions that make invalid credentials, one function for each kind. Each call makes a new credential. */
export const inventedCredentials: (() => { [name: string]: string })[] = [
  () => ({ 'x-api-key': `fk_${base64url(32)}` }),
  () => ({ authorization: `Bearer ${inventedToken({ alg: 'HS256', typ: 'JWT' })}` }),
  () => ({ authorization: `Bearer ${inventedToken({ alg: 'ES256', typ: 'JWT', kid: randomUUID() })}` }),
  () => ({ authorization: `Bearer eyJ${base64url(24)}.${base64url(64)}.${base64url(32)}` }),
  () => ({ 'x-flow-run-token': `fr_${base64url(48)}` }),
];
