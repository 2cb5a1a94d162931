/** What an assistant holds between two requests of one tool call. */
export interface CallState {
  /** The number of the request, from 1. */
  round: number;
  /** True if the assistant has been told that somebody else is asked. */
  isTold: boolean;
  tool: string;
  /** The token of the run. It is an HMAC, so nobody can invent it. */
  token: string;
}

const STATE = /^([2-9])(t?)\.([\w-]{1,64})\.(fr_[\w-]{64})$/;

/** The last round. Clients repeat a call at most ten times, so the answer to this one is final. */
export const LAST_ROUND = 9;

/** Writes the state of a call as `requestState`. */
export const writeState = ({ round, isTold, tool, token }: CallState): string =>
  `${round}${isTold ? 't' : ''}.${tool}.${token}`;

/** Reads `requestState`; undefined if it is malformed, or of another tool. */
export function readState(text: string, tool: string): CallState | undefined {
  const [, round, told, named, token] = STATE.exec(text) ?? [];
  if (token === undefined || named !== tool) return undefined;
  return { round: Number(round), isTold: told === 't', tool, token };
}
