import { faultOfAnswerSchema } from '../../types/answer_schema.ts';
import type { FlowWarning } from '../../types/deployment.ts';
import { makeComputingLine } from '../../platform/computing_line.ts';
import { networkTurn } from '../../platform/pause.ts';
import { RhaiError } from '../../runner/rhai/errors.ts';
import { DEFAULT_LIMITS } from '../../runner/rhai/limits.ts';
import { parseScript } from '../../runner/rhai/parsing/parser.ts';
import { CodeError } from '../../runner/script/author_code.ts';
import { openCodeParser, openExpressionParser } from '../../runner/script/parse_code.ts';
import { scriptClock } from '../../runner/script/sandbox.ts';

/** A script of a flow that is being deployed. */
export interface FlowScript {
  flow_id: number;
  /** The index of the script's node in the flow. For an expression in JSONata, the index of its edge. */
  index: number;
  /** The id of the script's node. For an expression, the id of its edge's target. */
  node_id: string;
  /** `json_schema` stands for the schema that the answer to a node `api_input` must fit. */
  language: 'rhai' | 'javascript' | 'jsonata' | 'json_schema';
  /** For a script in JavaScript, the names of its inputs. */
  inputs: string[];
  /** Null if the node has no script. */
  source: string | null;
}

/**
 * The answer of `rpc('read_flow_scripts')`. One deploy parses a limited number of scripts. The answer only counts the
 * scripts beyond that limit.
 */
export interface FlowScripts {
  /** The time of the last change of each flow that was read. */
  as_of: { [flowId: string]: string };
  scripts: FlowScript[];
  scripts_left_out: number;
  flows_left_out: number;
}

/** The time limit for parsing the scripts of one deploy. */
const MAX_PARSE_MS = 500;
/**
 * The time after which the parsing of all deploys pauses for other requests. A single script is not interrupted, so it
 * may block them for longer.
 */
const TURN_MS = 10;

/** The time of parsing since the last pause, of all deploys of this thread together. */
let turnMs = 0;
/** The deploys that wait for their next turn. Callers take turns. */
const nextTurnOf = makeComputingLine(async () => {
  await networkTurn();
  turnMs = 0;
});

/** Thrown when the time for parsing is over. */
class TimeOver extends Error {}

/** Parses a script. Throws the error that the parser has found, or TimeOver. */
type Parse = (script: FlowScript & { source: string }, checkTime: () => void) => void;

/** Makes a parser for all scripts. The parsers of JavaScript and JSONata are loaded only if a script needs them. */
async function makeParser(scripts: readonly FlowScript[]): Promise<Parse> {
  const hasJavaScript = scripts.some(({ language, source }) => language === 'javascript' && source !== null);
  const parseJavaScript = hasJavaScript ? await openCodeParser() : undefined;
  const hasExpressions = scripts.some(({ language }) => language === 'jsonata');
  const parseExpression = hasExpressions ? await openExpressionParser() : undefined;
  return ({ language, source, inputs }, checkTime) => {
    if (language === 'javascript') parseJavaScript?.(source, inputs, checkTime);
    else if (language === 'jsonata') parseExpression?.(source, checkTime);
    else parseScript(source, DEFAULT_LIMITS);
  };
}

type Fault = Pick<FlowWarning, 'message' | 'line' | 'column'>;

const faultAt = (line: number, column: number, reason: string): Fault => ({
  message: `the script is wrong at line ${line}, column ${column}: ${reason.slice(0, 500)}`,
  line,
  column,
});

/**
 * Returns the fault of a script, or undefined if the script parses. Throws TimeOver when the time for parsing is over.
 */
function faultOf(script: FlowScript, parse: Parse, checkTime: () => void): Fault | undefined {
  const { source } = script;
  if (source === null) return { message: 'the node has no script, so the run fails at it', line: 1, column: 1 };
  if (script.language === 'json_schema') {
    const fault = faultOfAnswerSchema(JSON.parse(source));
    return fault === undefined ? undefined : { message: `the run fails at the node, because of its ${fault}` };
  }
  try {
    parse({ ...script, source }, checkTime);
    return undefined;
  } catch (error) {
    if (error instanceof RhaiError) return faultAt(error.line, error.column, error.reason);
    if (error instanceof CodeError && script.language === 'jsonata') {
      return { message: `the expression is wrong: ${error.reason.slice(0, 500)}`, line: 1, column: 1 };
    }
    if (error instanceof CodeError) return faultAt(error.place?.line ?? 1, error.place?.column ?? 1, error.reason);
    throw error;
  }
}

function warningOf({ flow_id, index, node_id, language }: FlowScript, fault: Fault): FlowWarning {
  const form = `nodes[${index}].data.targets_form.form_data`;
  const place = { flow_id, node_id, ...fault };
  if (language === 'jsonata') return { code: 'expression_invalid', path: `edges[${index}].data.expression`, ...place };
  if (language === 'json_schema') return { code: 'answer_schema_invalid', path: `${form}.json_schema`, ...place };
  return { code: 'script_invalid', path: `${form}.source`, ...place };
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
 * Parses the scripts, with pauses for other requests, until the time is over. Returns a warning for each wrong script.
 * If some scripts were not parsed, a further warning has their number.
 */
export async function warnOfScripts(
  caller: string,
  flowId: number,
  { scripts, scripts_left_out, flows_left_out }: FlowScripts,
  now: () => number = scriptClock,
): Promise<FlowWarning[]> {
  const warnings: FlowWarning[] = [];
  const parse = await makeParser(scripts);
  let spentMs = 0;
  let parsed = 0;
  for (const script of scripts) {
    if (spentMs >= MAX_PARSE_MS) break;
    if (turnMs >= TURN_MS) await nextTurnOf(caller);
    const begin = now();
    const until = begin + MAX_PARSE_MS - spentMs;
    let fault: Fault | undefined;
    try {
      fault = faultOf(script, parse, () => {
        if (now() > until) throw new TimeOver();
      });
    } catch (error) {
      if (error instanceof TimeOver) break;
      throw error;
    }
    const ms = now() - begin;
    spentMs += ms;
    turnMs += ms;
    parsed += 1;
    if (fault === undefined) continue;
    warnings.push(warningOf(script, fault));
  }
  return [...warnings, ...notParsed(flowId, scripts_left_out + scripts.length - parsed, flows_left_out)];
}
