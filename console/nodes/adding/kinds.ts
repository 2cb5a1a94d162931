/** The kinds of documents of which nodes are made, each with the texts of its fields. */
export const DOCUMENT_KINDS = {
  openapi: {
    label: 'API (OpenAPI)',
    hint: 'OpenAPI 3.0, OpenAPI 3.1 or Swagger 2.0, in JSON or YAML',
    address: 'Of the OpenAPI document itself, in JSON or YAML',
    placeholder: 'https://api.example.com/openapi.yaml',
    accept: '.json,.yaml,.yml,application/json,application/yaml',
  },
  idl: {
    label: 'Solana program (IDL)',
    hint: 'An IDL of Anchor, Shank or Codama, in JSON',
    address: 'Of the IDL itself, in JSON',
    placeholder: 'https://example.com/idl.json',
    accept: '.json,application/json',
  },
} as const;

export type DocumentKind = keyof typeof DOCUMENT_KINDS;
