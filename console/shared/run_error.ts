/** A line of a run's errors, in its parts. */
export interface RunError {
  /** The id of the node that failed; undefined for an error of the run itself. */
  nodeId: string | undefined;
  times: number;
  /** The stable code; undefined for an error in a node's own words. */
  code: string | undefined;
  message: string;
}

/** Of `<title> <node id>[#times]: <message>`, what follows the title. */
const PLACE = /([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?:#(\d{1,9}))?: /g;
const PREFIX = /^([a-z][a-z0-9_]{0,63}): /;
const NO_INPUTS: ReadonlySet<string> = new Set();

/** Takes the code off a message, `run_size_limit: inputs of more …`. The name of one of the node's inputs is no code. */
export function splitCode(message: string, inputs = NO_INPUTS): Pick<RunError, 'code' | 'message'> {
  const [prefix = '', code = ''] = PREFIX.exec(message) ?? [];
  if (code === '' || inputs.has(code)) return { code: undefined, message };
  return { code, message: message.slice(prefix.length) };
}

/**
 * Reads a line, by the names of the inputs of each node. A title may have an id in it, too, so only the ids of the run's
 * nodes count; where nobody knows these, the first id does.
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
