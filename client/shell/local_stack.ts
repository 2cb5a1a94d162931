import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stackDir } from '../../supabase/local/paths.ts';
import { DEFAULT_PORT } from '../../supabase/local/ports.ts';
import { readStatus, runningPorts } from '../../supabase/local/stack_record.ts';
import type { FindLocalStack } from './environment.ts';
import { UsageError } from './usage_error.ts';

/** A project's address and publishable key. The secret keys of the stack are not looked at. */
interface Project {
  url: string;
  key: string;
}

async function post<Answer>({ url, key }: Project, path: string, body: object, token?: string): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      apikey: key,
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`The local stack answers ${response.status} ${await response.text()}`);
  return await response.json() as Answer;
}

/** Signs a user of the shell's own up, and makes an API key for it. */
async function makeUser(project: Project): Promise<string> {
  const name = randomBytes(8).toString('hex');
  const { access_token } = await post<{ access_token: string }>(project, '/auth/v1/signup', {
    email: `flows-${name}@example.com`,
    password: randomBytes(16).toString('hex'),
  });
  const { key } = await post<{ key: string }>(project, '/rest/v1/rpc/create_api_key', { name: 'flows' }, access_token);
  return key;
}

/** Whether an API key stands for somebody: the stack may have been emptied since it was made. */
async function isValid({ url, key }: Project, apiKey: string): Promise<boolean> {
  const response = await fetch(`${url}/rest/v1/rpc/whoami`, {
    method: 'POST',
    headers: { apikey: key, 'x-api-key': apiKey },
  });
  return response.ok;
}

/** The API key of the shell's user on a stack. It is kept in the stack's folder, and made when there is none. */
async function findApiKey(port: number, project: Project): Promise<string> {
  const file = join(stackDir(port), 'flows_api_key');
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (kept !== '' && await isValid(project, kept)) return kept;
  const made = await makeUser(project);
  await writeFile(`${file}.${process.pid}`, made, { mode: 0o600 });
  await rename(`${file}.${process.pid}`, file);
  return made;
}

/** The stack of this checkout at an address; without one, that of the default port, else the only one that runs. */
export const findLocalStack: FindLocalStack = async (wanted, wantsUser) => {
  const ports = runningPorts();
  const port =
    ports.find((port) =>
      wanted === undefined ? port === DEFAULT_PORT : readStatus(port)?.API_URL === wanted.replace(/\/$/, '')
    ) ?? (wanted === undefined && ports.length === 1 ? ports[0] : undefined);
  if (port === undefined) {
    if (wanted !== undefined || ports.length === 0) return undefined;
    const addresses = ports.map((port) => `http://127.0.0.1:${port}`);
    throw new UsageError(`Several local stacks run. Set FLOWS_URL to one of them: ${addresses.join(', ')}`);
  }
  const status = readStatus(port);
  if (status === undefined) return undefined;
  const project = { url: status.API_URL, key: status.PUBLISHABLE_KEY };
  return { ...project, apiKey: wantsUser ? await findApiKey(port, project) : undefined };
};
