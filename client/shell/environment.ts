import type { ConnectionOptions } from '../requests/connection.ts';
import { UsageError } from './usage_error.ts';

/** The variables that `flows` reads. */
export const environmentVariables = [
  { name: 'FLOWS_URL', meaning: "The project's address. In a checkout, the default is its local stack." },
  { name: 'FLOWS_KEY', meaning: 'The publishable key of the project, which is no secret.' },
  {
    name: 'FLOWS_API_KEY',
    meaning: 'The API key of the user to act as (rpc create_api_key makes one). ' +
      'Without it, calls are unauthenticated. On a local stack, they act as the user of `flows login` or of the stack.',
  },
  {
    name: 'FLOWS_SECRET',
    meaning: 'For `flows connections upsert`: the secret. Without it, the command asks for it.',
  },
  { name: 'FLOWS_PASSWORD', meaning: 'For `flows login`: the password. Without it, the command asks for it.' },
] as const;

/**
 * Finds the local stack of this checkout, or the stack at the address `url`. If `wantsUser` is true, adds an API key.
 */
export type FindLocalStack = (
  url: string | undefined,
  wantsUser: boolean,
) => Promise<LocalStack | undefined>;

interface LocalStack {
  url: string;
  key: string;
  apiKey: string | undefined;
  /** Stores this API key, so that the shell uses it on the stack from now on. */
  keepApiKey: (apiKey: string) => Promise<void>;
}

/** The project to call, and the user to act as. */
export type Environment = ConnectionOptions & Partial<Pick<LocalStack, 'keepApiKey'>>;

/** Tests whether a key is a secret key. An old secret key is a token that contains the role `service_role`. */
function isSecret(key: string): boolean {
  if (key.startsWith('sb_secret_')) return true;
  try {
    const claims = key.split('.')[1] ?? '';
    return JSON.parse(Buffer.from(claims, 'base64url').toString())?.role === 'service_role';
  } catch {
    return false;
  }
}

/**
 * Returns the project that the environment names, or else the local stack. If `wantsUser` is true, the result for a
 * local stack includes an API key. Throws a UsageError that names the missing variables.
 */
export async function readEnvironment(
  env: Record<string, string | undefined>,
  findLocalStack?: FindLocalStack,
  wantsUser = true,
): Promise<Environment> {
  const { FLOWS_URL: url, FLOWS_KEY: key, FLOWS_API_KEY: apiKey } = Object.fromEntries(
    environmentVariables.map(({ name }) => [name, env[name]?.trim() || undefined]),
  );
  if (key !== undefined && isSecret(key)) {
    throw new UsageError(
      'FLOWS_KEY holds a secret key. The command flows needs the publishable key, and an API key of a user.',
    );
  }
  if (apiKey !== undefined && !/^fk_[\w-]+$/.test(apiKey)) {
    throw new UsageError('FLOWS_API_KEY must be an API key: fk_ and letters, digits, underscores and hyphens.');
  }
  if (url !== undefined && key !== undefined) return { url, key, apiKey };
  const stack = await findLocalStack?.(url, wantsUser && apiKey === undefined);
  if (stack !== undefined) return { ...stack, apiKey: apiKey ?? stack.apiKey };
  const missing = [
    ...url === undefined ? [{ name: 'FLOWS_URL', meaning: "the project's address" }] : [],
    ...key === undefined
      ? [{ name: 'FLOWS_KEY', meaning: `${url === undefined ? 'its' : "the project's"} publishable key` }]
      : [],
  ];
  const join = (texts: string[]) => texts.join(' and ');
  throw new UsageError(
    `${join(missing.map(({ name }) => name))} must be set to ${join(missing.map(({ meaning }) => meaning))}` +
      `${findLocalStack === undefined ? '' : ', or a local stack must run (npm start)'}.`,
  );
}
