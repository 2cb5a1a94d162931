/** An error that the RPC returns. Source: Agave, `rpc-client-api/src/custom_error.rs`; JSON-RPC 2.0, section 5.1. */
export class RpcError extends Error {
  override name = 'RpcError';
  code: number;
  data: unknown;
  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
export const PREFLIGHT_FAILURE = -32002;
export const SIGNATURE_VERIFICATION_FAILURE = -32003;
export const UNSUPPORTED_TRANSACTION_VERSION = -32015;
export const MIN_CONTEXT_SLOT_NOT_REACHED = -32016;

export const invalidParams = (message: string): RpcError => new RpcError(INVALID_PARAMS, message);
