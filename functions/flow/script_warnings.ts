import type { FlowWarning } from '../../types/deployment.ts';
import { nextTurn } from '../_shared/pause.ts';
import { RhaiError } from '../../runner/rhai/errors.ts';
import { DEFAULT_LIMITS } from '../../runner/rhai/limits.ts';
import { parseScript } from '../../runner/rhai/parser.ts';

/** A script of a flow that is being deployed. */
export interface FlowScript {
  flow_id: number;
  /** The index of the node in the flow. */
  index: number;
  node_id: string;
  /** Null if the node has no script. */
  source: string | null;
}

/** The answer of `rpc('read_flow_scripts')`: as many scripts as may be parsed. */
export interface FlowScripts {
  /** The time of the last change of each flow that was read. */
  as_of: { [flowId: string]: string };
  scripts: FlowScript[];
  scripts_left_out: number;
  flows_left_out: number;
}

/** The time limit for parsing the scripts of one deploy. */
const MAX_PARSE_MS = 500;
/** The longest time for which parsing blocks other requests, except when a single script takes longer. */
const TURN_MS = 10;

/** Returns the syntax error of a script; undefined if it parses. */
function syntaxError(source: string | null): Pick<FlowWarning, 'message' | 'line' | 'column'> | undefined {
  if (source === null) return { message: 'the node has no script, so the run fails at it', line: 1, column: 1 };
  try {
    parseScript(source, DEFAULT_LIMITS);
    return undefined;
  } catch (error) {
    if (!(error instanceof RhaiError)) throw error;
    const { reason, line, column } = error;
    return { message: `the script is wrong at line ${line}, column ${column}: ${reason.slice(0, 500)}`, line, column };
  }
}

function notParsed(flowId: number, scripts: number, flows: number): FlowWarning[] {
  const parts = [
    ...(scripts > 0 ? [`${scripts} script${scripts === 1 ? '' : 's'}`] : []),
    ...(flows > 0 ? [`those of ${flows} called flow${flows === 1 ? '' : 's'}`] : []),
  ];
  if (parts.length === 0) return [];
  const message = `not parsed, because there are too many or they are too long: ${parts.join(' and ')}`;
  return [{ flow_id: flowId, code: 'scripts_not_parsed', path: 'nodes', message }];
}

/**
 * Parses the scripts, with pauses for other requests, until the time is over. Returns a warning for each wrong script,
 * and one with the number of scripts that were not parsed.
 */
export async function warnOfScripts(
  flowId: number,
  { scripts, scripts_left_out, flows_left_out }: FlowScripts,
  now: () => number = () => performance.now(),
): Promise<FlowWarning[]> {
  const warnings: FlowWarning[] = [];
  let spentMs = 0;
  let turnMs = 0;
  let parsed = 0;
  for (const { flow_id, index, node_id, source } of scripts) {
    if (spentMs >= MAX_PARSE_MS) break;
    if (turnMs >= TURN_MS) {
      await nextTurn();
      turnMs = 0;
    }
    const begin = now();
    const error = syntaxError(source);
    const ms = now() - begin;
    spentMs += ms;
    turnMs += ms;
    parsed += 1;
    if (error === undefined) continue;
    const path = `nodes[${index}].data.targets_form.form_data.source`;
    warnings.push({ flow_id, code: 'script_invalid', path, node_id, ...error });
  }
  return [...warnings, ...notParsed(flowId, scripts_left_out + scripts.length - parsed, flows_left_out)];
}
