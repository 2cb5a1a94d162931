import type { Command } from '../command.ts';
import { printableJson, printableLine } from '../printable.ts';
import { signIn } from '../sign_in.ts';
import { UsageError } from '../usage_error.ts';

export const login: Command = {
  name: 'login',
  arguments: '<email>',
  count: [1, 1],
  summary: 'Act as a user from now on.',
  notes: [
    'The command asks for the password (or reads FLOWS_PASSWORD) and makes an API key for the user.',
    'For a local stack, it stores the key in the folder of the stack. Otherwise it prints a line that sets ' +
    'FLOWS_API_KEY.',
  ],
  options: [],
  example: 'flows login demo@example.com',
  needsNoUser: true,
  run: async ({ screen, isJson, environment, readPassword }, { positionals: [email = ''] }) => {
    if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw new UsageError(`${email} must be the email of a user.`);
    const { url, key, keepApiKey, apiKey: named } = environment;
    const apiKey = await signIn({ url: url.endsWith('/') ? url.slice(0, -1) : url, key }, email, await readPassword());
    await keepApiKey?.(apiKey);
    if (isJson) {
      return await screen.print(printableJson({ url, email, is_kept: keepApiKey !== undefined, api_key: apiKey }));
    }
    if (keepApiKey === undefined) return await screen.print(`export FLOWS_API_KEY=${apiKey}`);
    await screen.print(printableLine(`flows acts as ${email} on ${url} from now on.`));
    if (named !== undefined) screen.note('FLOWS_API_KEY is set and wins over the new key: unset it.');
  },
};
