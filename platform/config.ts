import { withoutTrailingSlashes } from './base_url.ts';

/** The project's address and keys, as read from the platform's environment. */
export interface Config {
  supabaseUrl: string;
  /** PostgREST's address. By default, it is below the project's address. */
  restUrl: string;
  /**
   * A publishable key of the project. It is sent with each forwarded call, together with the caller's own credential.
   */
  publicKey: string;
  /** A key that acts as service role. */
  secretKey: string;
  /** All publishable keys of the project. They do not identify a caller. */
  publicKeys: readonly string[];
  /** All keys of the project that act as service role. */
  secretKeys: readonly string[];
}

/** Reads the keys of a JSON object such as `{"default": "sb_secret_…"}`. The key named `default` comes first. */
function opaqueKeys(json: string | undefined): string[] {
  if (json === undefined || json === '') return [];
  const { default: first, ...others } = JSON.parse(json) as Record<
    string,
    string
  >;
  return [...(first === undefined ? [] : [first]), ...Object.values(others)];
}

const present = (text: string | undefined): text is string => text !== undefined && text !== '';

/** Reads the keys that act as service role. The first one is the key to use. */
export const readSecretKeys = (env: (name: string) => string | undefined): string[] =>
  [...opaqueKeys(env('SUPABASE_SECRET_KEYS')), env('SUPABASE_SERVICE_ROLE_KEY')].filter(present);

/** Reads the publishable keys of the project. Keys of the newer generation come first. */
export const readPublicKeys = (env: (name: string) => string | undefined): string[] =>
  [...opaqueKeys(env('SUPABASE_PUBLISHABLE_KEYS')), env('SUPABASE_ANON_KEY')].filter(present);

/**
 * Reads the configuration. Accepts keys of both generations and prefers keys of the newer generation. Throws one error
 * that names every missing variable.
 */
export function readConfig(env: (name: string) => string | undefined): Config {
  const publicKeys = readPublicKeys(env);
  const secretKeys = readSecretKeys(env);
  const supabaseUrl = env('SUPABASE_URL');
  const missing = [
    present(supabaseUrl) ? undefined : 'SUPABASE_URL',
    publicKeys.length > 0 ? undefined : 'SUPABASE_PUBLISHABLE_KEYS or SUPABASE_ANON_KEY',
    secretKeys.length > 0 ? undefined : 'SUPABASE_SECRET_KEYS or SUPABASE_SERVICE_ROLE_KEY',
  ].filter(present);
  const [publicKey] = publicKeys;
  const [secretKey] = secretKeys;
  if (
    !present(supabaseUrl) || publicKey === undefined || secretKey === undefined
  ) {
    throw new Error(`Missing in the environment: ${missing.join(', ')}`);
  }
  const restUrl = env('REST_URL');
  return {
    supabaseUrl: withoutTrailingSlashes(supabaseUrl),
    restUrl: withoutTrailingSlashes(present(restUrl) ? restUrl : `${withoutTrailingSlashes(supabaseUrl)}/rest/v1`),
    publicKey,
    secretKey,
    publicKeys,
    secretKeys,
  };
}
