import { readFile, stat } from 'node:fs/promises';
import type { Described, DescribeOptions } from '../../describing/index.ts';
import type { CommandCall, CommandContext } from '../command.ts';
import { UsageError } from '../usage_error.ts';

const MAX_FILE_BYTES = 64 * 1_048_576;

/** The options with which a description is read and made into definitions. */
interface Reading {
  describing: DescribeOptions;
  connection: string | undefined;
  connect: () => Promise<CommandContext>;
}

/** A source of nodes that `flows nodes` knows. */
interface Kind {
  /** Undefined if the description has to be at an address. */
  ofText?: (text: string, options: DescribeOptions) => Promise<Described>;
  ofAddress: (address: string, reading: Reading) => Promise<Described>;
}

/** Loaded when needed, because most commands need neither zod nor a reader of YAML. */
const loadDescribing = () => import('../../describing/index.ts');

/** A kind of documents, which may be in a file or at an address. */
const documents = (ofText: (text: string, options: DescribeOptions) => Promise<Described>): Kind => ({
  ofText,
  ofAddress: async (address, { describing, connection, connect }) => {
    const { client, signal } = await connect();
    return await ofText(await client.readDocument(address, { connection, signal }), describing);
  },
});

const KINDS: { readonly [kind: string]: Kind } = {
  openapi: documents(async (text, options) => (await loadDescribing()).describeOpenApi(text, options)),
  idl: documents(async (text, options) => await (await loadDescribing()).describeIdl(text, options)),
  mcp: {
    ofAddress: async (address, { describing, connection, connect }) => {
      const { client, signal } = await connect();
      const tools = await client.readTools(address, { connection, signal });
      return (await loadDescribing()).describeTools(tools, describing);
    },
  },
};

async function readTextFile(file: string): Promise<string> {
  try {
    const { size } = await stat(file);
    if (size > MAX_FILE_BYTES) throw new UsageError(`${file} is larger than ${MAX_FILE_BYTES} bytes.`);
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${file} can't be read: ${(error as Error).message}`);
  }
}

/** Makes definitions of the file or address that a call names. */
export async function readDescription(
  { positionals: [, name = '', source = ''], option, all }: CommandCall,
  connect: () => Promise<CommandContext>,
): Promise<Described> {
  const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  if (kind === undefined) throw new UsageError(`${name} must be one of ${Object.keys(KINDS).join(', ')}.`);
  const isAddress = /^https?:\/\//i.test(source);
  const connection = option('connection');
  if (!isAddress && kind.ofText === undefined) throw new UsageError(`${name} takes an http or https address.`);
  if (!isAddress && connection !== undefined) {
    throw new UsageError('--connection may be given only with an address.');
  }
  const only = all('only');
  const describing = { prefix: option('prefix'), only: only.length > 0 ? only : undefined };
  const described = isAddress || kind.ofText === undefined
    ? await kind.ofAddress(source, { describing, connection, connect })
    : await kind.ofText(await readTextFile(source), describing);
  const { NO_SUCH_OPERATION } = await loadDescribing();
  const unknown = described.refused.filter(({ reason }) => reason === NO_SUCH_OPERATION).map(({ place }) => place);
  // Nothing is stored: the rest alone may be of no use.
  if (unknown.length > 0) throw new UsageError(`The description has no operation ${unknown.join(', ')}.`);
  if (described.definitions.length > 0 || described.refused.some(({ place }) => place !== '')) return described;
  throw new UsageError(described.refused[0]?.reason ?? 'The description has no operation.');
}
