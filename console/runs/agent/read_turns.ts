import { stepNodeId } from '../../../runner/engine/run/step_node_id.ts';
import { approvalStep, APPROVE, MODEL_STEP } from '../../../runner/nodes/ai_agent/step_names.ts';
import { sortedJson } from '../../../types/values/json/sorted_json.ts';
import { objectAt, type PlainObject } from '../../shared/graph/drawn_node.ts';
import { plainOf } from '../../shared/plain_json.ts';
import type { AgentStep } from './steps.ts';

/** What the model was told about a call. */
export interface ToldResult {
  text: string;
  isError: boolean;
}

/** A call of a tool that the model wanted. */
export interface WantedCall {
  name: string;
  /** The arguments as the model wrote them. */
  arguments: string;
  /** The request for approval; undefined if there was none. */
  approval: AgentStep | undefined;
  /** The call itself; undefined if it was not made. */
  step: AgentStep | undefined;
  /** Undefined until the model is told. */
  told: ToldResult | undefined;
  /** True if the call has no step, but a later call of the same answer has one. */
  isPassedOver: boolean;
}

/** A call of the model, with the calls of tools that its answer wanted. */
export interface Turn {
  step: AgentStep;
  /** The texts that the model got, beside the results of tools. */
  prompts: string[];
  text: string;
  calls: WantedCall[];
  /** Undefined without an answer. */
  usage: { input: number; output: number } | undefined;
  finishReason: string;
}

/** The steps that one call has made. */
type StepsOfCall = Pick<WantedCall, 'approval' | 'step'> & { name: string };

const textOf = (json: unknown): string => typeof json === 'string' ? json : '';
const listAt = (json: unknown, name: string): PlainObject[] => {
  const list = objectAt(json)[name];
  return Array.isArray(list) ? list.map((member) => objectAt(member)) : [];
};
const plainInput = ({ input }: AgentStep): PlainObject => objectAt(plainOf(input));
const startOf = ({ start_time }: AgentStep): number => Date.parse(start_time);

/** The id under which a run of the agent stores the calls of its model. */
export const modelStepId = (agentId: string): string => stepNodeId(agentId, MODEL_STEP);

/** Returns the tool of a step; an empty text for a call of the model. */
export const toolOf = (step: AgentStep): string => textOf(plainInput(step)['tool']);

/** True if the step asks for approval. */
export const isApproval = (step: AgentStep, agentId: string): boolean =>
  step.node_id === stepNodeId(agentId, approvalStep(toolOf(step)));

/** True if a person has approved. */
export const isApproved = ({ output }: AgentStep): boolean => objectAt(plainOf(output))['answer'] === APPROVE;

/** Puts each request for approval together with the call that follows it. */
function joinSteps(steps: readonly AgentStep[], agentId: string): StepsOfCall[] {
  const joined: StepsOfCall[] = [];
  for (const step of steps) {
    const name = toolOf(step);
    const last = joined.at(-1);
    if (isApproval(step, agentId)) joined.push({ name, approval: step, step: undefined });
    else if (last?.name === name && last.step === undefined) last.step = step;
    else joined.push({ name, approval: undefined, step });
  }
  return joined;
}

/** True if the text has the arguments of the step. */
function hasArguments(text: string, { approval, step }: StepsOfCall): boolean {
  const made = approval ?? step;
  const stored = made === undefined ? {} : plainInput(made)['arguments'];
  try {
    return sortedJson(JSON.parse(JSON.stringify(stored))) === sortedJson(JSON.parse(text));
  } catch {
    return false;
  }
}

/**
 * Finds the steps of each call. Steps are in the order of the calls, but a call that was wrong has none. So if there are
 * fewer steps than calls, a call whose arguments differ from those of the next step is passed over, unless the model was
 * told a result of it.
 */
function matchCalls(wanted: PlainObject[], told: ToldResult[], made: StepsOfCall[]): WantedCall[] {
  const left = [...made];
  const calls = wanted.map((call, index) => {
    const [name, text] = [textOf(call['name']), textOf(call['arguments'])];
    const result = told[index];
    const at = left.findIndex((one) => one.name === name);
    const next = left[at];
    const callsLeft = wanted.slice(index).filter((one) => one['name'] === name).length;
    const isSpare = callsLeft > left.filter((one) => one.name === name).length;
    const isMade = next !== undefined && (!isSpare || result?.isError === false || hasArguments(text, next));
    if (isMade) left.splice(at, 1);
    return { name, arguments: text, approval: undefined, step: undefined, ...(isMade ? next : {}), told: result };
  });
  const hasStep = ({ approval, step }: Pick<WantedCall, 'approval' | 'step'>) => (approval ?? step) !== undefined;
  const last = calls.findLastIndex(hasStep);
  return calls.map((call, index) => ({ ...call, isPassedOver: index < last && !hasStep(call) }));
}

/** Reads the transcript of an agent from the steps of its run, which are in the order of their starts. */
export function readTurns(steps: readonly AgentStep[], agentId: string): Turn[] {
  const modelId = modelStepId(agentId);
  const models = steps.filter(({ node_id }) => node_id === modelId).sort((a, b) => a.times - b.times);
  const others = steps.filter(({ node_id }) => node_id !== modelId);
  return models.map((step, index) => {
    const next = models[index + 1];
    const made = others.filter((one) =>
      startOf(one) > startOf(step) && (next === undefined || startOf(one) <= startOf(next))
    );
    const told = next === undefined ? [] : listAt(plainInput(next), 'messages')
      .filter(({ role }) => role === 'tool')
      .map(({ text, isError }) => ({ text: textOf(text), isError: isError === true }));
    const output = objectAt(plainOf(step.output));
    const { input_tokens, output_tokens } = objectAt(output, 'usage');
    return {
      step,
      prompts: listAt(plainInput(step), 'messages').filter(({ role }) => role === 'user')
        .map(({ text }) => textOf(text)),
      text: textOf(output['text']),
      calls: matchCalls(listAt(output, 'tool_calls'), told, joinSteps(made, agentId)),
      usage: step.output === null ? undefined : { input: Number(input_tokens), output: Number(output_tokens) },
      finishReason: textOf(output['finish_reason']),
    };
  });
}
