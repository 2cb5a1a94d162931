// zod is imported as a namespace. A bundler can then drop the parts of zod that the client does not use.
import * as z from 'zod';

const fieldSchema = z.strictObject({ port: z.string(), name: z.string() });

/** An argument that the request repeats as the header `Mcp-Param-<header>`, because the tool's schema says so. */
const headerSchema = z.strictObject({
  /** The names of members that lead to the argument. */
  path: z.array(z.string()).min(1),
  header: z.string(),
  type: z.enum(['string', 'integer', 'boolean']),
});

export type ArgumentHeader = z.infer<typeof headerSchema>;

/** Tests whether a text is an address of a server. Credentials belong into a connection. */
export const isServerAddress = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).username === '' &&
  new URL(text).password === '';

/**
 * `data.implementation` of a definition of type `mcp`: one tool of an MCP server, as the adapter calls it.
 * `describeTools` of the client makes it from the list of the server's tools.
 */
export const mcpImplementationSchema = z.strictObject({
  /** The address of the server, for Streamable HTTP. */
  url: z.string().refine(isServerAddress, 'must be an http or https URL without credentials'),
  tool: z.string().min(1),
  /**
   * The protocol of the server. With `discover`, the versions from its answer to `server/discover`, a call is one
   * request. Without it, the server speaks the protocol of 2025, and each call begins with a handshake.
   */
  discover: z.strictObject({ supportedVersions: z.array(z.string()) }).optional(),
  /** The inputs that are arguments of the tool. */
  inputs: z.array(fieldSchema),
  headers: z.array(headerSchema),
  /** The members of the structured result that have outputs of their own. */
  outputs: z.array(fieldSchema),
});

export type McpImplementation = z.infer<typeof mcpImplementationSchema>;
