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
    'Name the input by its URL, or by the token (fi_…) at the end of the URL.',
    'Unless anybody with the URL may answer, you must be one of those who may.',
    'A value is a text, or JSON after := as in flows start. An input accepts one answer.',
  ],
  options: [
    { name: 'token', takes: 'token', meaning: 'The token of the run, if you started it as a guest.' },
    { name: 'cancel', meaning: 'Cancel the input in place of answering it: its node fails.' },
    {
      name: 'idempotency-key',
      takes: 'text',
      meaning: 'With the same key, the same answer succeeds again; random by default.',
    },
  ],
  example: `flows submit "$URL" ':={"approved": true}'`,
  run: async ({ client, screen, isJson, signal }, { positionals: [url = '', text], option, has }) => {
    if (has('cancel') === (text !== undefined)) throw new UsageError('submit takes either a value or --cancel.');
    const options = { idempotencyKey: option('idempotency-key'), token: option('token'), signal };
    if (text === undefined) await client.cancelInput(url, options);
    else {
      const value = text.startsWith(':=') ? readJsonValue(text.slice(2)) : text;
      await client.submitInput(url, value, options);
    }
    const did = text === undefined ? 'cancelled' : 'submitted';
    await screen.print(isJson ? printableJson({ success: true }) : did);
  },
};
