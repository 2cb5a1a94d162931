/** A line of a run's errors, split into its parts. */
export interface RunError {
  /** The id of the failed node; undefined for an error of the run itself. */
  nodeId: string | undefined;
  times: number;
  /** The stable code; undefined for an error without a code. */
  code: string | undefined;
  message: string;
}

/** Matches the part of `<title> <node id>[#times]: <message>` after the title. */
const PLACE = /([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?:#(\d{1,9}))?: /g;
const PREFIX = /^([a-z][a-z0-9_]{0,63}): /;
const NO_INPUTS: ReadonlySet<string> = new Set();

/**
 * Splits the code from a message, such as `run_size_limit: inputs of more …`. A first word that is the name of an input
 * of the node is not a code.
 */
export function splitCode(message: string, inputs = NO_INPUTS): Pick<RunError, 'code' | 'message'> {
  const [prefix = '', code = ''] = PREFIX.exec(message) ?? [];
  if (code === '' || inputs.has(code)) return { code: undefined, message };
  return { code, message: message.slice(prefix.length) };
}

/**
 * Reads a line. `inputs` has the names of the inputs of each node. Because a title may contain an id, only the ids of
 * nodes in `inputs` count as ids of nodes. If `inputs` is missing, the first id counts.
 */
export function readRunError(line: string, inputs?: ReadonlyMap<string, ReadonlySet<string>>): RunError {
  for (const match of line.matchAll(PLACE)) {
    const [text, nodeId = '', times = '0'] = match;
    const ofNode = inputs === undefined ? NO_INPUTS : inputs.get(nodeId);
    if (ofNode !== undefined) {
      return { nodeId, times: Number(times), ...splitCode(line.slice(match.index + text.length), ofNode) };
    }
  }
  return { nodeId: undefined, times: 0, ...splitCode(line) };
}
