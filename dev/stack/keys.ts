import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { sign } from 'hono/jwt';

/** The secrets of one stack, in both of Supabase's key generations. */
export interface StackKeys {
  jwtSecret: string;
  /** Legacy keys: JWTs whose `role` claim is anon or service_role. */
  anonKey: string;
  serviceRoleKey: string;
  /** The opaque keys, which succeed the legacy ones: `sb_publishable_…` and `sb_secret_…`. */
  publishableKey: string;
  secretKey: string;
  /** Password of the database roles postgres, authenticator and supabase_auth_admin. */
  dbPassword: string;
  /** `WALLET_KEYS`, by which the Edge Functions encrypt the secrets of wallets and connections. */
  walletKeys: string;
}

const TEN_YEARS_S = 10 * 365 * 24 * 60 * 60;

const makeWalletKeys = (): string => JSON.stringify({ local: randomBytes(32).toString('base64') });

async function makeKeys(): Promise<StackKeys> {
  const jwtSecret = randomBytes(32).toString('base64url');
  const iat = Math.floor(Date.now() / 1000);
  const roleKey = (role: string) => sign({ iss: 'supabase', role, iat, exp: iat + TEN_YEARS_S }, jwtSecret, 'HS256');
  return {
    jwtSecret,
    anonKey: await roleKey('anon'),
    serviceRoleKey: await roleKey('service_role'),
    publishableKey: `sb_publishable_${randomBytes(24).toString('base64url')}`,
    secretKey: `sb_secret_${randomBytes(24).toString('base64url')}`,
    dbPassword: randomBytes(24).toString('base64url'),
    walletKeys: makeWalletKeys(),
  };
}

async function writeKeys(file: string, keys: StackKeys): Promise<StackKeys> {
  // Writes a file with another name and then renames it, so that a killed start leaves no half-written file.
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, JSON.stringify(keys, null, 2), { mode: 0o600 });
  await rename(draft, file);
  return keys;
}

/** Loads the keys in `file`. If there is no such file, makes it with new keys. */
export async function loadKeys(file: string): Promise<StackKeys> {
  if (!existsSync(file)) return await writeKeys(file, await makeKeys());
  const keys: StackKeys = JSON.parse(await readFile(file, 'utf8'));
  // A file without this key was made before the project had wallets.
  return keys.walletKeys === undefined ? await writeKeys(file, { ...keys, walletKeys: makeWalletKeys() }) : keys;
}
