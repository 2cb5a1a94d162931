import type { Context } from 'hono';
import { definitionLimits } from '../../types/limits/definitions.ts';
import type { ReadForCaller } from './read_for_caller.ts';

/** `POST /nodes/tools`: lists the tools of an MCP server. The caller's browser or shell makes definitions of them. */
export const makeReadTools = (readForCaller: ReadForCaller) => async (context: Context): Promise<Response> => {
  const tools = await readForCaller(context, {
    read: async ({ signal, ...server }) => {
      // Loaded here, because other routes need no library of the protocol.
      const { listTools } = await import('../../runner/described/mcp/list_tools.ts');
      return await listTools({ ...server, timeoutMs: definitionLimits.document_ms.value, end: signal });
    },
    hint: 'The address must be that of an MCP server with Streamable HTTP, such as https://example.com/mcp.',
  });
  return context.json(tools);
};
