import { z } from 'zod';
import type { ServerTools } from '../../../types/described/server_tools.ts';
import { definitionLimits } from '../../../types/limits/definitions.ts';
import { NodeError } from '../../engine/node.ts';
import { INEXACT_NUMBERS } from './exact_numbers.ts';
import { type ServerOptions, withServer } from './server_session.ts';

const MAX_CHARACTERS = definitionLimits.document_bytes.value;
const MAX_TOOLS = definitionLimits.listed_tools.value;
const MESSAGE_LIMITS = {
  characters: MAX_CHARACTERS,
  depth: definitionLimits.tool_levels.value,
  members: definitionLimits.tool_values.value,
};

/** A page of tools. Its tools are not checked, so that one malformed tool does not hide the others. */
const pageSchema = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

/** Reads all tools of a server. Throws a NodeError. */
export async function listTools(
  options: Omit<ServerOptions, 'prior' | 'messageLimits' | 'numbers'>,
): Promise<ServerTools> {
  const limited = { ...options, messageLimits: MESSAGE_LIMITS, numbers: INEXACT_NUMBERS };
  return await withServer(limited, async ({ client, limits }) => {
    const tools: unknown[] = [];
    const cursors = new Set<string>();
    let characters = 0;
    for (let cursor: string | undefined;; cursors.add(cursor)) {
      const params = cursor === undefined ? {} : { cursor };
      const page = await client.request({ method: 'tools/list', params }, pageSchema, limits);
      characters += JSON.stringify(page.tools).length + (page.nextCursor?.length ?? 0);
      if (characters > MAX_CHARACTERS) throw new NodeError('the list of the tools is larger than 16 MiB');
      for (const tool of page.tools) tools.push(tool);
      if (tools.length > MAX_TOOLS) throw new NodeError(`the server has more than ${MAX_TOOLS} tools`);
      cursor = page.nextCursor;
      if (cursor === undefined) break;
      if (cursors.has(cursor)) throw new NodeError('the pages of the list of tools lead in a circle');
    }
    const { name, title, version } = client.getServerVersion() ?? {};
    const discover = client.getDiscoverResult();
    return {
      url: options.url,
      server: name === undefined || version === undefined ? null : { name, title, version },
      discover: discover === undefined ? null : { supportedVersions: discover.supportedVersions },
      tools,
    };
  });
}
