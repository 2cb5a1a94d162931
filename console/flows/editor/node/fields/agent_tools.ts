import { flowLimits } from '../../../../../types/limits/flows.ts';
import { isObject, type PlainObject } from '../../../../shared/graph/drawn_node.ts';

const MAX_NAME = flowLimits.tool_name_characters.value;

/** Reads the tools of an agent; undefined for a value that fields can't show. */
export const readTools = (value: unknown): PlainObject[] | undefined =>
  value === undefined || value === null ? [] : Array.isArray(value) && value.every(isObject) ? value : undefined;

/** Makes the name of a tool from that of its flow: `Pay an order back` becomes `pay_an_order_back`. */
export const toolNameOf = (flow: string): string =>
  flow.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll(/[^a-z0-9_-]+/g, '_')
    .replaceAll(/^_+|_+$/g, '').slice(0, MAX_NAME);

/** Returns why the agent would refuse the name of a tool; undefined if it would not. */
export function faultOfName(tools: readonly PlainObject[], index: number): string | undefined {
  const name = tools[index]?.name;
  if (typeof name !== 'string' || name === '') return 'Enter a name';
  if (!/^[A-Za-z0-9_-]+$/.test(name) || name.length > MAX_NAME) return `At most ${MAX_NAME} letters, digits, _ and -`;
  return tools.findIndex((other) => other.name === name) < index ? 'Another tool has this name' : undefined;
}

/** Changes members of a tool. Members that say nothing are left out. */
export const withMembers = (tool: PlainObject, members: PlainObject): PlainObject =>
  Object.fromEntries(
    Object.entries({ ...tool, ...members }).filter(([, value]) =>
      value !== undefined && value !== '' && value !== false
    ),
  );
