/** The answer of `POST /nodes/tools`: an MCP server with its tools. */
export interface ServerTools {
  /** The address of the server. */
  url: string;
  /** The server's own name and version, if it gives them. */
  server: { name: string; title?: string | undefined; version: string } | null;
  /** The versions of the protocol from the answer to `server/discover`. Null for a server of the protocol of 2025. */
  discover: { supportedVersions: string[] } | null;
  /** The tools as the server describes them. */
  tools: unknown[];
}
