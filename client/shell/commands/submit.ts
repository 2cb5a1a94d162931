import { readJsonValue } from '../assignments.ts';
import type { Command } from '../command.ts';
import { printableJson } from '../printable.ts';
import { UsageError } from '../usage_error.ts';

export const submit: Command = {
  name: 'submit',
  arguments: '<url|token> [value | :=json]',
  count: [1, 2],
  summary: 'Answer an input that a run waits for.',
  notes: [
    'It is named by its URL, or by the token (fi_…) in which that ends; nobody needs another credential.',
    'A value is a text, and JSON behind := as in flows start. An input takes one answer.',
  ],
  options: [
    { name: 'cancel', meaning: 'Cancel it, in place of a value: its node fails.' },
    {
      name: 'idempotency-key',
      takes: 'text',
      meaning: 'With the same key, the same answer succeeds again; by default a random one.',
    },
  ],
  example: `flows submit "$URL" ':={"approved": true}'`,
  run: async ({ client, screen, isJson, signal }, { positionals: [url = '', text], option, has }) => {
    if (has('cancel') === (text !== undefined)) throw new UsageError('submit takes either a value or --cancel.');
    const options = { idempotencyKey: option('idempotency-key'), signal };
    if (text === undefined) await client.cancelInput(url, options);
    else {
      const value = text.startsWith(':=') ? readJsonValue(text.slice(2)) : text;
      await client.submitInput(url, value, options);
    }
    const did = text === undefined ? 'cancelled' : 'submitted';
    await screen.print(isJson ? printableJson({ success: true }) : did);
  },
};
