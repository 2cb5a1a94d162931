import type { DefinitionToStore } from '../../flow_client.ts';
import type { Command, CommandCall, LocalContext } from '../command.ts';
import { withChosenEffects } from './chosen_effects.ts';
import { readDescription } from './read_description.ts';
import { printableJson, printableLine } from '../printable.ts';
import { UsageError } from '../usage_error.ts';

const describe = ({ type, data, targets, sources }: DefinitionToStore): string =>
  printableLine(
    [data.node_id, data.version, type, `effects ${String(data.effects)}`, `${targets.length} inputs`].join('  ') +
      `, ${sources.length} outputs`,
  );

function noteRefused({ screen }: LocalContext, refused: { place: string; reason: string }[]): void {
  for (const { place, reason } of refused) screen.note(printableLine(`refused: ${place}: ${reason}`));
}

async function add(context: LocalContext, call: CommandCall): Promise<void> {
  const { screen, isJson, connect } = context;
  const described = await withChosenEffects(await readDescription(call, connect), call);
  if (call.has('print')) return await screen.print(printableJson(described));
  const { client, signal } = await connect();
  await client.storeDefinitions(described.definitions, { signal });
  if (isJson) return await screen.print(printableJson(described));
  for (const definition of described.definitions) await screen.print(describe(definition));
  noteRefused(context, described.refused);
  screen.note(`stored ${described.definitions.length} definitions`);
}

async function update(context: LocalContext, call: CommandCall): Promise<void> {
  const { screen, isJson, connect } = context;
  const { definitions, refused } = await readDescription(call, connect);
  const { client, signal, confirm } = await connect();
  const { compareDefinitions } = await import('../../describing/index.ts');
  const stored = await client.nodeDefinitions({ signal });
  const { changed, gone } = compareDefinitions(stored, definitions, call.option('prefix'));
  const isStored = ({ type, data }: DefinitionToStore) =>
    stored.some((one) => one.type === type && one.data.node_id === data.node_id);
  if (gone.length === 0 && !definitions.some(isStored)) {
    throw new UsageError(
      'You have no node of this description. flows nodes lists your nodes, and flows nodes add adds them. Give the ' +
        '--prefix with which they were added.',
    );
  }
  if (!isJson) {
    for (const { definition, differences } of changed) {
      await screen.print(describe(definition));
      for (const difference of differences) await screen.print(printableLine(`  ${difference}`));
    }
    if (call.all('only').length === 0) {
      for (const { data } of gone) screen.note(printableLine(`no longer in the description: ${data.node_id}`));
    }
    noteRefused(context, refused);
  }
  if (changed.length === 0) screen.note('No definition has changed.');
  else if (call.has('yes') || await confirm(`Store ${changed.length} definitions?`)) {
    await client.storeDefinitions(changed.map(({ definition }) => definition), { signal });
    screen.note(`stored ${changed.length} definitions`);
  } else throw new UsageError('Nothing was stored. Confirm with y, or give --yes.');
  if (isJson) await screen.print(printableJson({ changed, gone: gone.map(({ data }) => data.node_id), refused }));
}

async function list({ screen, isJson, connect }: LocalContext): Promise<void> {
  const { client, signal } = await connect();
  const definitions = await client.nodeDefinitions({ signal });
  if (isJson) return await screen.print(printableJson(definitions));
  if (definitions.length === 0) screen.note('There are no definitions to show.');
  for (const definition of definitions) await screen.print(describe(definition));
}

async function remove({ screen, isJson, connect }: LocalContext, call: CommandCall): Promise<void> {
  const { client, signal } = await connect();
  const [, ...nodeIds] = call.positionals;
  for (const nodeId of nodeIds) {
    await client.deleteDefinition(nodeId, { version: call.option('version'), signal });
    if (!isJson) await screen.print(printableLine(`removed ${nodeId}`));
  }
  if (isJson) await screen.print(printableJson({ removed: nodeIds }));
}

/** An action of the command: its arguments, and the options that it takes. */
interface Action {
  takes: string;
  count: [min: number, max: number];
  options: readonly string[];
  run: (context: LocalContext, call: CommandCall) => Promise<void>;
}

const OF_DOCUMENT = ['only', 'prefix', 'connection'];
const OF_SOURCE = 'openapi, idl or mcp, and a file or an address';
const MAX_REMOVED = 1_000;

const ACTIONS: Record<string, Action> = {
  list: { takes: 'no argument', count: [0, 0], options: [], run: list },
  add: { takes: OF_SOURCE, count: [2, 2], options: [...OF_DOCUMENT, 'effects', 'print'], run: add },
  update: { takes: OF_SOURCE, count: [2, 2], options: [...OF_DOCUMENT, 'yes'], run: update },
  remove: { takes: 'the node_id of each node', count: [1, MAX_REMOVED], options: ['version'], run: remove },
};

export const nodes: Command = {
  name: 'nodes',
  isLocal: true,
  arguments: '[list | add openapi|idl <file or address> | add mcp <address> | update … | remove <node_id>…]',
  count: [0, MAX_REMOVED + 1],
  summary:
    'List, add, update and remove your own nodes, which are made of descriptions: OpenAPI, MCP, IDLs of Solana programs.',
  notes: [
    'add makes a node of each operation of an OpenAPI 3.0, OpenAPI 3.1 or Swagger 2.0 document in JSON or YAML, and ' +
    'prints which operations can not be nodes. The project reads an address, which must be public.',
    'add mcp makes a node of each tool of an MCP server with Streamable HTTP.',
    'add idl makes a node of each instruction and each type of accounts of a Solana program, from an IDL of Anchor, ' +
    'Shank or Codama in JSON.',
    'update takes the arguments of add. It shows what has changed in stored nodes, asks, and stores it. It adds no ' +
    'nodes, and keeps the effects that you have changed.',
    'Deployments keep the nodes that they have frozen.',
  ],
  options: [
    {
      name: 'only',
      takes: 'operation',
      isRepeatable: true,
      meaning: 'Only this operation: its operationId, or method and path; the name of a tool or an instruction.',
    },
    { name: 'prefix', takes: 'text', meaning: 'Written before the node_id of each node.' },
    {
      name: 'connection',
      takes: 'name',
      meaning: 'Your connection, whose secret the requests for the description carry.',
    },
    {
      name: 'effects',
      takes: 'operation=effects',
      isRepeatable: true,
      meaning: 'For add: the operation, by node_id or by method and path, has the effects none, idempotent or once.',
    },
    { name: 'print', meaning: 'For add: print {definitions, refused} as JSON, and store nothing.' },
    { name: 'yes', meaning: 'For update: do not ask.' },
    { name: 'version', takes: 'version', meaning: 'For remove: only this version.' },
  ],
  example: 'flows nodes add openapi https://api.example.com/openapi.yaml --only "GET /pets/{id}"',
  run: async (context, call) => {
    const [name = 'list', ...rest] = call.positionals;
    const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
    if (action === undefined) {
      throw new UsageError(`There is no nodes ${name}. There are nodes list, add, update, remove.`);
    }
    const [min, max] = action.count;
    if (rest.length < min || rest.length > max) {
      throw new UsageError(`flows nodes ${name} takes ${action.takes}.`);
    }
    const wrong = nodes.options.find((option) => call.has(option.name) && !action.options.includes(option.name));
    if (wrong !== undefined) throw new UsageError(`--${wrong.name} may not be given with ${name}.`);
    await action.run(context, call);
  },
};
