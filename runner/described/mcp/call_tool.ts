import type { Tool } from '@modelcontextprotocol/client';
import type { ArgumentHeader, McpImplementation } from '../../../types/described/mcp.ts';
import { MAX_VALUE_DEPTH } from '../../../types/values/value.ts';
import { makeExactNumbers } from './exact_numbers.ts';
import { type ServerOptions, withServer } from './server_session.ts';

/** What a message may have beside the result of the tool. */
const ENVELOPE = { characters: 65_536, levels: 8, values: 1_000 };
/** The fewest bytes that a value takes in the outputs of a node. */
const SMALLEST_VALUE_BYTES = 8;

/** A schema with only the arguments that become headers. The library reads nothing else of it. */
function headerSchema(headers: readonly ArgumentHeader[]): Tool['inputSchema'] {
  const makeObject = () => ({ type: 'object' as const, properties: Object.create(null) });
  const schema = makeObject();
  for (const { path, header, type } of headers) {
    let at = schema;
    for (const name of path.slice(0, -1)) at = at.properties[name] ??= makeObject();
    at.properties[path.at(-1) ?? ''] = { type, 'x-mcp-header': header };
  }
  return schema;
}

const progressText = ({ progress, total, message }: { progress: number; total?: number; message?: string }): string =>
  `${progress}${total === undefined ? '' : `/${total}`}${message === undefined ? '' : ` ${message}`}`;

/**
 * Calls a tool. Gets the arguments as JSON, and returns the result as JSON; numbers keep their digits. The library gets
 * no schema of results, so it runs no `pattern`.
 */
export async function callTool(
  { url, tool, discover, headers }: McpImplementation,
  argumentsJson: string,
  { onProgress, maxOutputBytes, ...options }: Omit<ServerOptions, 'url' | 'prior' | 'messageLimits' | 'numbers'> & {
    onProgress: (text: string) => void;
    /** The most bytes of the node's outputs. A larger result is refused before it is read. */
    maxOutputBytes: number;
  },
): Promise<string> {
  const prior: ServerOptions['prior'] = discover === undefined
    ? { kind: 'legacy' }
    : { kind: 'modern', discover: { ...discover, capabilities: { tools: {} } } };
  const messageLimits = {
    characters: maxOutputBytes + ENVELOPE.characters,
    depth: MAX_VALUE_DEPTH + ENVELOPE.levels,
    members: Math.ceil(maxOutputBytes / SMALLEST_VALUE_BYTES) + ENVELOPE.values,
  };
  const numbers = makeExactNumbers();
  return await withServer({ ...options, url, prior, messageLimits, numbers }, async ({ client, limits }) => {
    const result = await client.callTool({ name: tool, arguments: JSON.parse(numbers.protect(argumentsJson)) }, {
      ...limits,
      toolDefinition: { name: tool, inputSchema: headerSchema(headers) },
      allowInputRequired: true,
      onprogress: (progress) => onProgress(progressText(progress)),
    });
    return numbers.release(JSON.stringify(result));
  });
}
