import { LosslessNumber } from 'lossless-json';
import type { InputAnswering } from '../../../types/answer_schema.ts';
import { nodeLimits } from '../../../types/limits/nodes.ts';
import type { LosslessJson } from '../../../types/values/value.ts';
import { flowIdOf } from '../../engine/graph/called_flow.ts';
import { formMember, formText, NodeError } from '../../engine/node.ts';
import { readAnsweredBy } from '../../values/answering.ts';

const DEFAULT_STEPS = 20;
const MAX_TOKENS = 1_000_000_000;
const MAX_TOOLS = nodeLimits.agent_tools.value;
const MAX_DESCRIPTION = nodeLimits.agent_description_characters.value;

/** A flow that the agent may call. */
export interface AgentTool {
  name: string;
  description: string;
  flowId: number;
  needsApproval: boolean;
  /** Who may approve a call. */
  answering: InputAnswering;
}

/** The agent's own settings. Those of its model are read by runner/models/. */
export interface AgentForm {
  instructions: string;
  maxSteps: number;
  /** The tokens of all calls of the model together. */
  maxTokens: number | undefined;
  tools: AgentTool[];
}

/** Reads a whole number from 1. Returns undefined if the member is missing or empty. */
function readCount(formData: LosslessJson, name: string, most: number): number | undefined {
  const given = formMember(formData, name);
  if (given === undefined || given === null || given === '') return undefined;
  const text = given instanceof LosslessNumber || typeof given === 'string' ? String(given) : '';
  const count = Number(text);
  if (text === '' || !Number.isInteger(count) || count < 1 || count > most) {
    throw new NodeError(`${name}: must be a whole number from 1 to ${most}`);
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

const toolsOf = (formData: LosslessJson): readonly LosslessJson[] => {
  const tools = formMember(formData, 'tools') ?? [];
  if (!Array.isArray(tools)) throw new NodeError('tools: must be a list');
  return tools;
};

/** Returns the ids of the flows of all tools. Tools that name no flow are left out: the node fails when it runs. */
export function flowsOfTools(formData: LosslessJson): number[] {
  const tools = formMember(formData, 'tools');
  return Array.isArray(tools) ? tools.flatMap((tool) => flowIdOf(formMember(tool, 'flow')) ?? []) : [];
}

const TOOL_MEMBERS = ['flow', 'name', 'description', 'needs_approval', 'answered_by'];

function readTool(tool: LosslessJson, place: string): AgentTool {
  // A misspelt needs_approval must not count as missing: then nobody would be asked.
  const unknown = Object.keys(tool ?? {}).find((member) => !TOOL_MEMBERS.includes(member));
  if (unknown !== undefined) {
    throw new NodeError(`${place}.${unknown}: is no member of a tool, which has ${TOOL_MEMBERS.join(', ')}`);
  }
  const name = formText(tool, 'name') ?? '';
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    throw new NodeError(`${place}.name: must be 1 to 64 letters, digits, _ and -`);
  }
  const description = formText(tool, 'description') ?? '';
  if ([...description].length > MAX_DESCRIPTION) {
    throw new NodeError(`${place}.description: must have at most ${MAX_DESCRIPTION} characters`);
  }
  const flowId = flowIdOf(formMember(tool, 'flow'));
  if (flowId === undefined) throw new NodeError(`${place}.flow: must be the integer id of a flow`);
  const needsApproval = formMember(tool, 'needs_approval') ?? false;
  // Another value must not count as false: then nobody would be asked.
  if (typeof needsApproval !== 'boolean') throw new NodeError(`${place}.needs_approval: must be true or false`);
  return {
    name,
    description,
    flowId,
    needsApproval,
    answering: { ...readAnsweredBy(formMember(tool, 'answered_by') || 'owner'), shown_inputs: [] },
  };
}

function readTools(formData: LosslessJson): AgentTool[] {
  const given = toolsOf(formData);
  if (given.length > MAX_TOOLS) throw new NodeError(`tools: must be at most ${MAX_TOOLS}`);
  const tools = given.map((tool, index) => readTool(tool, `tools.${index}`));
  const twice = tools.find(({ name }, index) => tools.findIndex((other) => other.name === name) < index);
  if (twice !== undefined) throw new NodeError(`tools: two tools have the name ${twice.name}`);
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
