import type { Tool } from '@modelcontextprotocol/client';
import type { ArgumentHeader, McpImplementation } from '../../../types/described/mcp.ts';
import { type ServerOptions, withServer } from './server_session.ts';

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
  { onProgress, ...options }: Omit<ServerOptions, 'url' | 'prior'> & { onProgress: (text: string) => void },
): Promise<string> {
  const prior: ServerOptions['prior'] = discover === undefined
    ? { kind: 'legacy' }
    : { kind: 'modern', discover: { ...discover, capabilities: { tools: {} } } };
  return await withServer({ ...options, url, prior }, async ({ client, limits, numbers }) => {
    const result = await client.callTool({ name: tool, arguments: JSON.parse(numbers.protect(argumentsJson)) }, {
      ...limits,
      toolDefinition: { name: tool, inputSchema: headerSchema(headers) },
      allowInputRequired: true,
      onprogress: (progress) => onProgress(progressText(progress)),
    });
    return numbers.release(JSON.stringify(result));
  });
}
