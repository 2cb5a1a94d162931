import { apiError } from '../../platform/api_error.ts';
import type { RawJson } from '../../platform/database/raw_json.ts';
import { isObject } from '../../types/values/value.ts';
import { rawMember } from '../_shared/lossless_body.ts';

/** A message of the protocol, as far as it decides what the database is asked for. */
export interface ToolMessage {
  text: string;
  /** The arguments of list_tools that say which tools the message asks for. */
  wanted: { tool_name?: string; after_flow?: number };
  /** True if the message asks for a page of tools whose cursor no answer can have held. */
  hasForeignCursor: boolean;
  /** The arguments of a tool call, with all digits of their numbers. */
  toolArguments: RawJson | undefined;
}

/** No tool has this name, so list_tools only checks the caller. */
const NO_TOOL = { tool_name: '' };
const TOOL_NAME = /^[\w-]{1,64}$/;
const CURSOR = /^\d{1,10}$/;
/** The greatest id of a flow. */
const MAX_FLOW_ID = 2_147_483_647;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads the page that `tools/list` asks for. */
function readPage(cursor: unknown): Pick<ToolMessage, 'wanted' | 'hasForeignCursor'> {
  if (cursor === undefined) return { wanted: {}, hasForeignCursor: false };
  if (typeof cursor === 'string' && CURSOR.test(cursor) && Number(cursor) <= MAX_FLOW_ID) {
    return { wanted: { after_flow: Number(cursor) }, hasForeignCursor: false };
  }
  return { wanted: NO_TOOL, hasForeignCursor: true };
}

/**
 * Reads a message. A text that is no message asks for no tool: the package of the protocol answers it. Throws
 * request_invalid for a list of messages, and if an object of a tool call has two members of the same name.
 */
export function readMessage(text: string): ToolMessage {
  const message = parse(text);
  // Each message of a list would need its own answer of list_tools.
  if (Array.isArray(message)) throw apiError('request_invalid', 'The body must be one message, and no list of them.');
  const none: ToolMessage = { text, wanted: NO_TOOL, hasForeignCursor: false, toolArguments: undefined };
  if (!isObject(message)) return none;
  const { method, params = {} } = message;
  if (!isObject(params)) return none;
  if (method === 'tools/list') return { ...none, ...readPage(params.cursor) };
  if (method !== 'tools/call') return none;
  const { name, arguments: given } = params;
  return {
    ...none,
    wanted: { tool_name: typeof name === 'string' && TOOL_NAME.test(name) ? name : '' },
    toolArguments: given === undefined
      ? undefined
      : rawMember(rawMember(text, message, 'params').text, params, 'arguments'),
  };
}
