import type { McpImplementation } from '../../../types/described/mcp.ts';
import type { FrozenDefinition } from '../../../types/flow.ts';
import { fromWireJsonText } from '../../../types/values/json/wire_json.ts';
import { type Value, ValueError, type ValueMap } from '../../../types/values/value.ts';
import { NodeError } from '../../engine/node.ts';
import { memberOutputs } from '../member_outputs.ts';

/** The most characters of a server's text that an error quotes. */
const MAX_QUOTED = 4_000;

const memberOf = (value: Value | undefined, name: string): Value | undefined =>
  value !== undefined && 'M' in value && Object.hasOwn(value.M, name) ? value.M[name] : undefined;
const listOf = (value: Value | undefined): Value[] => value !== undefined && 'A' in value ? value.A : [];
const textOf = (value: Value | undefined): string => value !== undefined && 'S' in value ? value.S : '';

const quote = (text: string): string => text.slice(0, MAX_QUOTED).replaceAll('\0', '\uFFFD').toWellFormed();

/** The texts in the content of a result. */
const textsOf = (content: Value | undefined): string =>
  listOf(content).map((part) => textOf(memberOf(part, 'text'))).filter((text) => text !== '').join('\n');

/** Describes the questions of a server: the message of a form, or else the method. */
function questionsOf(result: Value): string {
  const requests = memberOf(result, 'inputRequests');
  const questions = requests !== undefined && 'M' in requests ? Object.values(requests.M) : [];
  return questions.map((question) =>
    textOf(memberOf(memberOf(question, 'params'), 'message')) || textOf(memberOf(question, 'method'))
  ).join('\n');
}

/** Makes the outputs of a tool's result. Throws a NodeError if the tool has failed, or asks for more input. */
export function outputsOf(
  json: string,
  { outputs }: McpImplementation,
  frozen: FrozenDefinition,
  maxBytes: number,
): ValueMap {
  let result: Value;
  try {
    result = fromWireJsonText(json, maxBytes);
  } catch (error) {
    throw error instanceof ValueError ? new NodeError(`the tool's result: ${error.message}`) : error;
  }
  if (textOf(memberOf(result, 'resultType')) === 'input_required') {
    throw new NodeError(`the tool asks for input, which a node can't give: ${quote(questionsOf(result))}`);
  }
  const content = memberOf(result, 'content') ?? { A: [] };
  const isError = memberOf(result, 'isError');
  if (isError !== undefined && 'B' in isError && isError.B) {
    throw new NodeError(quote(textsOf(content)) || 'the tool failed without a text');
  }
  const made: ValueMap = Object.create(null);
  made.content = content;
  const structured = memberOf(result, 'structuredContent');
  if (structured === undefined) return made;
  made.structured = structured;
  for (const [port, value] of memberOutputs(structured, outputs, frozen)) made[port] = value;
  return made;
}
