import type { Api } from '../../shared/api.tsx';

/** How an address is read. */
interface ReadOptions {
  connection: string | undefined;
  signal: AbortSignal;
}

/** A kind of descriptions of which nodes are made. */
interface SourceKind {
  label: string;
  address: string;
  placeholder: string;
  /** What a file or a text may hold. Undefined if the description has to be at an address. */
  text?: { hint: string; accept: string };
  /** Reads the description at an address. */
  read: (flows: Api['flows'], address: string, options: ReadOptions) => Promise<unknown>;
}

const readDocument: SourceKind['read'] = (flows, address, options) => flows.readDocument(address, options);

/** A kind is one entry here, and one in describe_worker.ts. */
export const SOURCE_KINDS = {
  openapi: {
    label: 'API (OpenAPI)',
    address: 'Of the OpenAPI document itself, in JSON or YAML',
    placeholder: 'https://api.example.com/openapi.yaml',
    text: {
      hint: 'OpenAPI 3.0, OpenAPI 3.1 or Swagger 2.0, in JSON or YAML',
      accept: '.json,.yaml,.yml,application/json,application/yaml',
    },
    read: readDocument,
  },
  mcp: {
    label: 'MCP server',
    address: 'Of an MCP server with Streamable HTTP',
    placeholder: 'https://tools.example.com/mcp',
    read: (flows, address, options) => flows.readTools(address, options),
  },
  idl: {
    label: 'Solana program (IDL)',
    address: 'Of the IDL itself, in JSON',
    placeholder: 'https://example.com/idl.json',
    text: { hint: 'An IDL of Anchor, Shank or Codama, in JSON', accept: '.json,application/json' },
    read: readDocument,
  },
} as const satisfies Record<string, SourceKind>;

export type SourceKindName = keyof typeof SOURCE_KINDS;

export const sourceKind = (name: SourceKindName): SourceKind => SOURCE_KINDS[name];

/** What the worker gets: a text, or a list of tools. */
export interface SourceDescription {
  kind: SourceKindName;
  description: unknown;
}
