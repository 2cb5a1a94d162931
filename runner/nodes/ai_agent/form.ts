import { LosslessNumber } from 'lossless-json';
import type { InputAnswering } from '../../../types/answer_schema.ts';
import { DESCRIBED_TYPES, isDescribedType } from '../../../types/described/types.ts';
import { nodeLimits } from '../../../types/limits/nodes.ts';
import type { LosslessJson } from '../../../types/values/value.ts';
import { flowIdOf } from '../../engine/graph/called_flow.ts';
import { formMember, formText, type NodeKind } from '../../engine/node.ts';
import { badConfig } from '../../models/settings.ts';
import { readAnsweredBy } from '../../values/answering.ts';

const DEFAULT_STEPS = 20;
const MAX_TOKENS = 1_000_000_000;
const MAX_TOOLS = nodeLimits.agent_tools.value;
export const MAX_DESCRIPTION = nodeLimits.agent_description_characters.value;

/** A described node, with the form data that the author has fixed: inputs, the connection and other settings. */
interface ToolNode {
  kind: NodeKind;
  formData: LosslessJson;
}

/** What the author says of a tool: a flow or a described node that the agent may call. */
export type ToolForm = {
  name: string;
  description: string;
  needsApproval: boolean;
  /** Who may approve a call. */
  answering: InputAnswering;
} & ({ flowId: number; node?: undefined } | { flowId?: undefined; node: ToolNode });

/** The agent's own settings. Those of its model are read by runner/models/. */
export interface AgentForm {
  instructions: string;
  maxSteps: number;
  /** The tokens of all calls of the model together. */
  maxTokens: number | undefined;
  tools: ToolForm[];
}

/** Reads a whole number from 1. Returns undefined if the member is missing or empty. */
function readCount(formData: LosslessJson, name: string, most: number): number | undefined {
  const given = formMember(formData, name);
  if (given === undefined || given === null || given === '') return undefined;
  const text = given instanceof LosslessNumber || typeof given === 'string' ? String(given) : '';
  const count = Number(text);
  if (text === '' || !Number.isInteger(count) || count < 1 || count > most) {
    throw badConfig(`${name}: must be a whole number from 1 to ${most}`);
  }
  return count;
}

/** Returns the time limit of the agent in milliseconds; undefined if the form has none. The run reports wrong forms. */
export function timeLimitMs(formData: LosslessJson): number | undefined {
  try {
    const seconds = readCount(formData, 'max_seconds', nodeLimits.agent_seconds.value);
    return seconds && seconds * 1_000;
  } catch {
    return undefined;
  }
}

/** Reads the node that a tool names; undefined if it names none of a type that can be a tool. */
function readNode(node: LosslessJson): ToolNode | undefined {
  const type = formText(node, 'type') ?? '';
  if (!isDescribedType(type)) return undefined;
  const definition = formText(node, 'definition');
  const kind = { type, node_id: formText(node, 'node_id') ?? '', ...(definition !== undefined && { definition }) };
  return { kind, formData: formMember(node, 'form_data') ?? null };
}

function listTools(formData: LosslessJson): readonly LosslessJson[] {
  const tools = formMember(formData, 'tools');
  return Array.isArray(tools) ? tools : [];
}

/** Returns the ids of the flows of all tools. Tools that name no flow are left out: the node fails when it runs. */
export const flowsOfTools = (formData: LosslessJson): number[] =>
  listTools(formData).flatMap((tool) => flowIdOf(formMember(tool, 'flow')) ?? []);

/** Returns the described nodes of all tools. */
export const nodesOfTools = (formData: LosslessJson): NodeKind[] =>
  listTools(formData).flatMap((tool) => readNode(formMember(tool, 'node') ?? null)?.kind ?? []);

function refuseOthers(json: LosslessJson, members: readonly string[], place: string): void {
  const unknown = Object.keys(json ?? {}).find((member) => !members.includes(member));
  if (unknown !== undefined) {
    throw badConfig(`${place}.${unknown}: is no member of a tool, which has ${members.join(', ')}`);
  }
}

/** A deploy adds `definition`. */
const NODE_MEMBERS = ['type', 'node_id', 'version', 'form_data', 'definition'];

/** Reads what a tool calls. */
function readCallee(tool: LosslessJson, place: string): { flowId: number } | { node: ToolNode } {
  const [flow, given] = ['flow', 'node'].map((member) => formMember(tool, member) ?? null);
  if (given == null) {
    const flowId = flowIdOf(flow ?? undefined);
    if (flowId === undefined) throw badConfig(`${place}.flow: must be the integer id of a flow`);
    return { flowId };
  }
  if (flow !== null) throw badConfig(`${place}: must have either flow or node`);
  // A misspelt form_data must not count as missing: then the model would choose what it fixes.
  refuseOthers(given, NODE_MEMBERS, `${place}.node`);
  const node = readNode(given);
  if (node === undefined) throw badConfig(`${place}.node.type: must be one of ${DESCRIBED_TYPES.join(', ')}`);
  return { node };
}

const TOOL_MEMBERS = ['flow', 'node', 'name', 'description', 'needs_approval', 'answered_by'];

function readTool(tool: LosslessJson, place: string): ToolForm {
  // A misspelt needs_approval must not count as missing: then nobody would be asked.
  refuseOthers(tool, TOOL_MEMBERS, place);
  const name = formText(tool, 'name') ?? '';
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    throw badConfig(`${place}.name: must be 1 to 64 letters, digits, _ and -`);
  }
  const description = formText(tool, 'description') ?? '';
  if ([...description].length > MAX_DESCRIPTION) {
    throw badConfig(`${place}.description: must have at most ${MAX_DESCRIPTION} characters`);
  }
  const needsApproval = formMember(tool, 'needs_approval') ?? false;
  // Another value must not count as false: then nobody would be asked.
  if (typeof needsApproval !== 'boolean') throw badConfig(`${place}.needs_approval: must be true or false`);
  return {
    name,
    description,
    ...readCallee(tool, place),
    needsApproval,
    answering: { ...readAnsweredBy(formMember(tool, 'answered_by') || 'owner'), shown_inputs: [] },
  };
}

function readTools(formData: LosslessJson): ToolForm[] {
  const given = formMember(formData, 'tools') ?? [];
  if (!Array.isArray(given)) throw badConfig('tools: must be a list');
  if (given.length > MAX_TOOLS) throw badConfig(`tools: must be at most ${MAX_TOOLS}`);
  const tools = given.map((tool, index) => readTool(tool, `tools.${index}`));
  const twice = tools.find(({ name }, index) => tools.findIndex((other) => other.name === name) < index);
  if (twice !== undefined) throw badConfig(`tools: two tools have the name ${twice.name}`);
  return tools;
}

/** Reads the agent's own settings. All of them are form data, so neither an input nor the model can change them. */
export function readAgentForm(formData: LosslessJson): AgentForm {
  readCount(formData, 'max_seconds', nodeLimits.agent_seconds.value);
  return {
    instructions: formText(formData, 'instructions') ?? '',
    maxSteps: readCount(formData, 'max_steps', nodeLimits.agent_steps.value) ?? DEFAULT_STEPS,
    maxTokens: readCount(formData, 'max_tokens', MAX_TOKENS),
    tools: readTools(formData),
  };
}
