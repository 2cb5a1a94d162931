import { readFile } from 'node:fs/promises';
import type { NewWebhook } from '../../flow_client.ts';
import { readTarget, readUuid } from '../arguments.ts';
import type { Command } from '../command.ts';
import { printableJson, printableLine } from '../printable.ts';
import { UsageError } from '../usage_error.ts';

const VERIFICATIONS = ['standard_webhooks', 'github', 'stripe', 'authorization'] as const satisfies NewWebhook[
  'verification'
][];

/** The longest secret, in characters. A larger file is probably the wrong file. */
const MAX_SECRET_CHARACTERS = 10_000;

/**
 * Reads the secret in a file, without the line end. The secret is not an argument, because other users of the computer
 * can see the arguments of a command.
 */
async function readSecret(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new UsageError(`${file} can't be read: ${error.message}`);
  });
  const secret = text.trim();
  if (secret === '' || secret.length > MAX_SECRET_CHARACTERS) {
    throw new UsageError(`${file} must hold the secret, and nothing else.`);
  }
  return secret;
}

export const webhook: Command = {
  name: 'webhook',
  arguments: '<flow|deployment>',
  count: [1, 1],
  summary: 'Make a URL with which others start a deployment of yours.',
  notes: [
    'The URL is shown only once. Anybody who has it can start runs in your name.',
    'With --verification and without --secret-file, all requests are refused until rpc set_webhook_verification gives a ' +
    'secret.',
  ],
  options: [
    { name: 'input', takes: 'name', meaning: 'The input that gets the JSON of each request. Required.' },
    { name: 'headers', takes: 'names', meaning: 'Request headers to pass on with the JSON, separated by commas.' },
    { name: 'whole-request', meaning: 'Pass {body, headers, query, method}, without credentials and signatures.' },
    { name: 'respond', meaning: 'Let requests wait for the run, and answer them with its output.' },
    {
      name: 'verification',
      takes: 'kind',
      meaning: `How requests prove who sends them: ${VERIFICATIONS.join(', ')}.`,
    },
    { name: 'secret-file', takes: 'file', meaning: 'With --verification: the file that holds the secret.' },
  ],
  example: 'flows webhook 7@stable --input push --verification github --secret-file secret.txt',
  run: async ({ client, screen, isJson, signal }, { positionals: [text = ''], option, has }) => {
    const target = readTarget(text);
    const input = option('input');
    if (input === undefined) throw new UsageError('--input must be given: the input that gets the JSON of requests.');
    const wanted = option('verification');
    const verification = VERIFICATIONS.find((known) => known === wanted);
    if (verification !== wanted) throw new UsageError(`--verification must be one of ${VERIFICATIONS.join(', ')}.`);
    const secretFile = option('secret-file');
    if (secretFile !== undefined && verification === undefined) {
      throw new UsageError('--secret-file may be given only with --verification.');
    }
    const made = await client.createWebhook(target, {
      input,
      headers: option('headers')?.split(',').map((name) => name.trim()),
      whole_request: has('whole-request') || undefined,
      respond: has('respond') || undefined,
      verification,
      secret: await readSecret(secretFile),
    }, { signal });
    if (isJson) return await screen.print(printableJson(made));
    await screen.print(printableLine(`webhook  ${made.id}`));
    await screen.print(printableLine(`url      ${made.url}`));
  },
};

export const webhookDelete: Command = {
  name: 'webhook-delete',
  arguments: '<webhook>',
  count: [1, 1],
  summary: 'Delete an incoming webhook: its URL stops working.',
  notes: ['The runs that it started stay.'],
  options: [],
  example: 'flows webhook-delete 019ab6a8-93b6-7c2c-8de0-1f6a3c0f4b5e',
  run: async ({ client, screen, isJson, signal }, { positionals: [text = ''] }) => {
    const id = readUuid(text, 'webhook');
    await client.deleteWebhook(id, { signal });
    await screen.print(isJson ? printableJson({ id, success: true }) : `deleted webhook ${id}`);
  },
};
