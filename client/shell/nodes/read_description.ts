import { readFile, stat } from 'node:fs/promises';
import type { Described, DescribeOptions } from '../../describing/index.ts';
import type { CommandCall, CommandContext } from '../command.ts';
import { UsageError } from '../usage_error.ts';

const MAX_FILE_BYTES = 64 * 1_048_576;

type Describe = (text: string, options: DescribeOptions) => Described | Promise<Described>;

/**
 * The sources of nodes that `flows nodes` knows, each with the function that describes it. The functions are loaded when
 * they are needed, because most commands need neither zod nor a reader of YAML.
 */
const KINDS: { readonly [kind: string]: () => Promise<Describe> } = {
  openapi: async () => (await import('../../describing/index.ts')).describeOpenApi,
  idl: async () => (await import('../../describing/index.ts')).describeIdl,
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
  { positionals: [, kind = '', source = ''], option, all }: CommandCall,
  connect: () => Promise<CommandContext>,
): Promise<Described> {
  const load = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
  if (load === undefined) throw new UsageError(`${kind} must be one of ${Object.keys(KINDS).join(', ')}.`);
  const isAddress = /^https?:\/\//i.test(source);
  if (!isAddress && option('connection') !== undefined) {
    throw new UsageError('--connection may be given only with an address.');
  }
  let text: string;
  if (isAddress) {
    const { client, signal } = await connect();
    text = await client.readDocument(source, { connection: option('connection'), signal });
  } else {
    text = await readTextFile(source);
  }
  const only = all('only');
  const describe = await load();
  const described = await describe(text, { prefix: option('prefix'), only: only.length > 0 ? only : undefined });
  if (described.definitions.length > 0 || described.refused.some(({ place }) => place !== '')) return described;
  throw new UsageError(described.refused[0]?.reason ?? 'The document has no such operation.');
}
