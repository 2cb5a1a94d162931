import type { ConnectionRow, NewConnection } from '../../flow_client.ts';
import type { Command, CommandCall, CommandContext } from '../command.ts';
import { printableJson, printableLine } from '../printable.ts';
import { UsageError } from '../usage_error.ts';

/** The kinds of connections. For a kind whose secret has only one member, the value is the name of this member. */
const KINDS: Record<NewConnection['kind'], string | undefined> = {
  bearer: 'token',
  basic: undefined,
  header: 'value',
  query: 'value',
  oauth2_client_credentials: undefined,
  oauth2_refresh_token: undefined,
};

const isKind = (text: string | undefined): text is NewConnection['kind'] =>
  text !== undefined && Object.hasOwn(KINDS, text);

/**
 * Reads the members of a secret from JSON. If secrets of the kind have only one member, the text may be the bare value
 * of this member. Errors never quote the secret.
 */
function membersOf(text: string, kind: NewConnection['kind']): Record<string, string> {
  const only = KINDS[kind];
  if (only !== undefined && !text.startsWith('{')) return { [only]: text };
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  const members = typeof json === 'object' && json !== null && !Array.isArray(json) ? Object.entries(json) : undefined;
  if (members?.every(([, value]) => typeof value === 'string')) return Object.fromEntries(members);
  throw new UsageError(`The secret of the kind ${kind} must be a JSON object on one line, whose members are texts.`);
}

/** Describes the last test of a connection. */
function lastTest({ last_tested_at, last_test_status }: ConnectionRow): string {
  return last_tested_at === null ? 'untested' : `test: ${last_test_status ?? 'no answer'}`;
}

async function list({ client, screen, isJson, signal }: CommandContext): Promise<void> {
  const rows = await client.connections({ signal });
  if (isJson) return await screen.print(printableJson(rows));
  if (rows.length === 0) screen.note('There are no connections to show.');
  for (const row of rows) {
    const { name, kind, hosts, last_used_at } = row;
    await screen.print(
      printableLine([name, kind, hosts.join(','), last_used_at ?? 'unused', lastTest(row)].join('  ')),
    );
  }
}

async function upsert(context: CommandContext, name: string, { option }: CommandCall): Promise<void> {
  const [kind, hosts, header, parameter] = ['kind', 'hosts', 'header', 'parameter'].map(option);
  if (!isKind(kind)) throw new UsageError(`--kind must be one of ${Object.keys(KINDS).join(', ')}.`);
  if (hosts === undefined) throw new UsageError('--hosts must be given: the hosts that get the secret.');
  const secret = membersOf(await context.readSecret(), kind);
  const row = await context.client.upsertConnection({
    name,
    kind,
    hosts: hosts.split(',').map((host) => host.trim()),
    header,
    parameter,
    secret,
  }, { signal: context.signal });
  await context.screen.print(context.isJson ? printableJson(row) : printableLine(`connection  ${row.name}`));
}

async function test({ client, screen, isJson, signal }: CommandContext, name: string, url: string): Promise<void> {
  const status = await client.testConnection(name, url, { signal });
  await screen.print(isJson ? printableJson({ status }) : `status  ${status}`);
}

async function remove({ client, screen, isJson, signal }: CommandContext, name: string): Promise<void> {
  await client.deleteConnection(name, { signal });
  await screen.print(isJson ? printableJson({ name, success: true }) : printableLine(`deleted connection ${name}`));
}

/** The number of arguments that follow each action. */
const ACTIONS: Record<string, number> = { list: 0, upsert: 1, test: 2, delete: 1 };

export const connections: Command = {
  name: 'connections',
  arguments: '[list | upsert <name> | test <name> <url> | delete <name>]',
  count: [0, 3],
  summary: 'List, store, test and delete your connections, which are secrets for other servers.',
  notes: [
    'upsert reads the secret from FLOWS_SECRET, or from the first line of stdin: a token or value for the kinds bearer, ' +
    'header and query, and a JSON object for the others. It replaces a connection of the same name.',
    'test makes one GET request to a URL of the hosts, and prints the status of the answer.',
    'No command prints a secret.',
  ],
  options: [
    { name: 'kind', takes: 'kind', meaning: `For upsert: ${Object.keys(KINDS).join(', ')}.` },
    { name: 'hosts', takes: 'hosts', meaning: 'For upsert: the hosts that get the secret, separated by commas.' },
    { name: 'header', takes: 'name', meaning: 'For upsert: the header of the kind header.' },
    { name: 'parameter', takes: 'name', meaning: 'For upsert: the parameter of the kind query.' },
  ],
  example: 'flows connections upsert shop --kind bearer --hosts api.example.com < token.txt',
  run: async (context, call) => {
    const [action = 'list', name = '', url = ''] = call.positionals;
    const count = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
    if (count === undefined) {
      throw new UsageError(`There is no connections ${action}. There are connections list, upsert, test and delete.`);
    }
    if (Math.max(call.positionals.length - 1, 0) !== count) {
      throw new UsageError(`flows connections ${action} takes ${count} argument${count === 1 ? '' : 's'}.`);
    }
    const option = ['kind', 'hosts', 'header', 'parameter'].find((known) => call.option(known) !== undefined);
    if (option !== undefined && action !== 'upsert') throw new UsageError(`--${option} may be given only with upsert.`);
    if (action === 'upsert') return await upsert(context, name, call);
    if (action === 'test') return await test(context, name, url);
    if (action === 'delete') return await remove(context, name);
    return await list(context);
  },
};
