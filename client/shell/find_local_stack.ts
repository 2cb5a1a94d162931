import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFAULT_PORT, readStatus, runningPorts, stackDir } from '../../platform/local_stack/running_stacks.ts';
import { findStackUser } from './stack_user.ts';
import { createApiKey, type Project } from './sign_in.ts';
import type { FindLocalStack } from './environment.ts';
import { UsageError } from './usage_error.ts';

/** Tests whether an API key is still valid. A reset of the stack makes all its keys invalid. */
async function isValid({ url, key }: Project, apiKey: string): Promise<boolean> {
  const response = await fetch(`${url}/rest/v1/rpc/whoami`, {
    method: 'POST',
    headers: { apikey: key, 'x-api-key': apiKey },
  });
  return response.ok;
}

const keyFile = (port: number): string => join(stackDir(port), 'flows_api_key');

/** Stores an API key in the stack's folder, so that the shell acts as its user from now on. */
async function keepApiKey(port: number, apiKey: string): Promise<void> {
  const draft = `${keyFile(port)}.${process.pid}`;
  await writeFile(draft, apiKey, { mode: 0o600 });
  await rename(draft, keyFile(port));
}

/** Returns the API key for a stack: the stored key, or else a new key of the stack's own user. */
async function findApiKey(port: number, project: Project): Promise<string> {
  const kept = (await readFile(keyFile(port), 'utf8').catch(() => '')).trim();
  if (kept !== '' && await isValid(project, kept)) return kept;
  const { accessToken } = await findStackUser(stackDir(port), project);
  const made = await createApiKey(project, accessToken);
  await keepApiKey(port, made);
  return made;
}

/**
 * Finds the stack of this checkout at an address. Without an address, finds the stack at the default port, or else the
 * only running stack.
 */
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
  return {
    ...project,
    apiKey: wantsUser ? await findApiKey(port, project) : undefined,
    keepApiKey: (apiKey) => keepApiKey(port, apiKey),
  };
};
