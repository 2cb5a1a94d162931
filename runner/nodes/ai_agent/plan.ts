import { codedError, errorCode } from '../../../types/run_errors.ts';
import { nodeLimits } from '../../../types/limits/nodes.ts';
import { runLimits } from '../../../types/limits/runs.ts';
import { fromJavaScript } from '../../../types/values/json/javascript.ts';
import { toReadableJson } from '../../../types/values/json/readable_json.ts';
import { utf8Length } from '../../../types/values/utf8_length.ts';
import type { LosslessJson, Value, ValueMap } from '../../../types/values/value.ts';
import { toStorable } from '../../engine/limits/text_limits.ts';
import {
  type ChosenStep,
  type Halt,
  type NodeCall,
  NodeError,
  type NodeModule,
  type StepEnd,
  type StepPlan,
} from '../../engine/node.ts';
import type { ModelAnswer, ModelMessage, ModelRequest, ToolCall } from '../../models/model.ts';
import { readStructured } from '../../models/structured.ts';
import type { AgentForm } from './form.ts';
import { approvalStep, APPROVE, callStep, MODEL_STEP } from './step_names.ts';
import type { Tool } from './tools.ts';

/** Everything that an agent works with. */
export interface Agent extends Omit<AgentForm, 'tools'> {
  /** The form data of the node, in which the step that calls the model finds its settings. */
  formData: LosslessJson;
  definition: NodeModule['definition'];
  tools: readonly Tool[];
  responseSchema: object | undefined;
  /** The most bytes of a structured answer. */
  maxOutputBytes: number;
  /** Calls the model. `call` is that of the step. */
  ask: (request: ModelRequest, call: NodeCall) => Promise<ModelAnswer>;
}

const MAX_TRANSCRIPT_BYTES = nodeLimits.agent_transcript_bytes.value;
const MAX_QUESTION_CHARACTERS = nodeLimits.input_description_characters.value;
const APPROVAL_MS = runLimits.default_input_wait_seconds.value * 1_000;
const REFUSE = 'Refuse';

const textOf = (value: Value): string => 'S' in value ? value.S : JSON.stringify(toReadableJson(value));

/**
 * Escapes the characters of JSON that nobody sees, or that change the order in which others are shown. Otherwise a model
 * could make arguments that a person reads as other ones.
 */
const escapeUnseen = (json: string): string =>
  json.replace(
    /[\p{DI}\p{Cf}\p{Co}\p{Zl}\p{Zp}\x7f-\x9f\u2800]/gu,
    (character) => character.split('').map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  );

const sizeOf = (message: ModelMessage): number => utf8Length(JSON.stringify(message));

/** Replaces what can't be stored. */
const storable = (answer: ModelAnswer): ModelAnswer => ({
  ...answer,
  text: toStorable(answer.text),
  toolCalls: answer.toolCalls.map(({ id, name, arguments: given }) => ({
    id: toStorable(id),
    name: toStorable(name),
    arguments: toStorable(given),
  })),
});

/** Makes the outputs of a model's step. */
function outputsOf(answer: ModelAnswer): ValueMap {
  const { text, toolCalls, usage: { inputTokens, outputTokens }, finishReason } = storable(answer);
  return {
    text: { S: text },
    tool_calls: fromJavaScript(toolCalls),
    usage: { M: { input_tokens: { U: String(inputTokens) }, output_tokens: { U: String(outputTokens) } } },
    finish_reason: { S: finishReason },
  };
}

/** The outputs of a model's step as readable JSON. */
interface StoredAnswer {
  text: string;
  tool_calls: ToolCall[];
  usage: { input_tokens: number; output_tokens: number };
  finish_reason: string;
}

/** Reads the outputs of a model's step, perhaps of an earlier claim. */
function answerOf(outputs: ValueMap): ModelAnswer {
  // SAFETY: only outputsOf makes these outputs.
  const { text, tool_calls, usage, finish_reason } = toReadableJson({ M: outputs }) as unknown as StoredAnswer;
  return {
    text,
    toolCalls: tool_calls,
    usage: { inputTokens: usage.input_tokens, outputTokens: usage.output_tokens },
    finishReason: finish_reason,
  };
}

/**
 * The plan of an agent. It asks the model, makes the calls that the answer contains, and tells the model their results,
 * until an answer contains no call or a limit ends the agent. Each call of the model and of a tool is a step, and so is
 * a call that is refused. The texts of inputs, tools and people are data in messages: the settings alone choose the
 * model, the tools and the connection.
 */
export class AgentPlan implements StepPlan {
  readonly steps: Generator<ChosenStep, ValueMap, StepEnd>;
  readonly stepNames: readonly string[];
  readonly #agent: Agent;
  readonly #messages: ModelMessage[] = [];
  /** The number of messages that the earlier steps have stored. */
  #stored = 0;
  #bytes = 0;
  #count = 0;
  #tokens = 0;
  #text = '';

  constructor(agent: Agent, input: Value) {
    this.#agent = agent;
    this.steps = this.#run(input);
    this.stepNames = [MODEL_STEP, ...agent.tools.flatMap(({ name }) => [callStep(name), approvalStep(name)])];
  }

  outputsOfHalt({ status, message }: Halt): ValueMap {
    return this.#outputs(
      errorCode(message) === 'node_timeout' ? 'max_seconds' : status === 'stopped' ? 'stopped' : 'failed',
    );
  }

  *#run(input: Value): Generator<ChosenStep, ValueMap, StepEnd> {
    this.#add({ role: 'user', text: textOf(input) });
    let isCorrected = false;
    for (;;) {
      const limit = this.#reachedLimit();
      if (limit !== undefined) return this.#outputs(limit);
      const answer = yield* this.#ask();
      if (answer.toolCalls.length === 0) {
        const { responseSchema, maxOutputBytes } = this.#agent;
        if (responseSchema === undefined || answer.finishReason === 'refusal') {
          return this.#outputs(answer.finishReason);
        }
        const read = readStructured(answer, responseSchema, maxOutputBytes);
        if ('value' in read) return this.#outputs(answer.finishReason, read.value);
        const fault = `the answer of the model does not fit response_schema: ${read.fault}`;
        if (isCorrected) throw new NodeError(codedError('model_answer_invalid', fault));
        isCorrected = true;
        this.#add({ role: 'user', text: `${fault}. Answer again, only with JSON that fits.` });
      }
      for (const call of answer.toolCalls) {
        const reached = this.#reachedLimit();
        if (reached !== undefined) return this.#outputs(reached);
        this.#count += 1;
        const result = yield* this.#callTool(call);
        this.#add({ role: 'tool', callId: call.id, ...result });
      }
    }
  }

  *#ask(): Generator<ChosenStep, ModelAnswer, StepEnd> {
    const { formData, definition, instructions, tools, responseSchema, ask } = this.#agent;
    const messages = [...this.#messages];
    const request = {
      system: instructions || undefined,
      messages,
      tools: tools.map(({ name, description, inputs }) => ({ name, description, parameters: inputs.schema })),
      responseSchema,
    };
    this.#count += 1;
    const end = yield {
      name: MODEL_STEP,
      title: 'Model',
      module: { definition, run: async (call) => outputsOf(await ask(request, call)) },
      formData,
      inputs: { messages: fromJavaScript(messages.slice(this.#stored)) },
      mayFail: false,
    };
    // SAFETY: a step that may not fail ends with outputs.
    const answer = answerOf((end as { outputs: ValueMap }).outputs);
    const { text, toolCalls, usage: { inputTokens, outputTokens } } = answer;
    this.#tokens += inputTokens + outputTokens;
    if (text !== '') this.#text = text;
    this.#add({ role: 'assistant', text, toolCalls });
    // The answer is stored with its own step.
    this.#stored = this.#messages.length;
    return answer;
  }

  /** Makes a call that the model wants. Returns its result, or the reason why it was not made, for the model. */
  *#callTool(call: ToolCall): Generator<ChosenStep, { text: string; isError: boolean }, StepEnd> {
    const failed = (text: string) => ({ text, isError: true });
    const tool = this.#agent.tools.find(({ name }) => name === call.name);
    if (tool === undefined) return failed('there is no tool of this name');
    const read = tool.inputs.read(call.arguments);
    if ('fault' in read) return failed(read.fault);
    if (tool.needsApproval) {
      const refusal = yield* this.#askForApproval(tool, read.values);
      if (refusal !== undefined) return failed(refusal);
    }
    const end = yield {
      name: callStep(tool.name),
      title: tool.name,
      module: tool.makeModule(read.values),
      formData: tool.formData,
      inputs: { tool: { S: tool.name }, arguments: { M: read.values } },
      mayFail: true,
    };
    return 'outputs' in end
      ? { text: JSON.stringify(toReadableJson(end.outputs['result'] ?? { N: 0 })), isError: false }
      : failed(end.error);
  }

  /** Asks a person whether the tool may be called. Returns undefined if it may, or the reason why not. */
  *#askForApproval(tool: Tool, values: ValueMap): Generator<ChosenStep, string | undefined, StepEnd> {
    const description = escapeUnseen(JSON.stringify(toReadableJson({ M: values }), null, 2));
    // A person must see all that they approve.
    if ([...description].length > MAX_QUESTION_CHARACTERS) return 'the arguments are too long to be approved';
    const end = yield {
      name: approvalStep(tool.name),
      title: `Approval of ${tool.name}`,
      module: {
        definition: this.#agent.definition,
        asksForInput: true,
        run: async ({ askForInput }) => ({
          answer: await askForInput({
            timeoutMs: APPROVAL_MS,
            question: {
              title: `May ${tool.name} be called?`,
              description,
              json_schema: null,
              choices: [APPROVE, REFUSE],
            },
            ...tool.answering,
          }),
        }),
      },
      formData: null,
      inputs: { tool: { S: tool.name }, arguments: { M: values } },
      mayFail: true,
    };
    if ('error' in end) return `the call was not approved: ${end.error}`;
    const answer = end.outputs['answer'];
    return answer !== undefined && 'S' in answer && answer.S === APPROVE ? undefined : 'a person has refused this call';
  }

  #add(message: ModelMessage): void {
    this.#messages.push(message);
    this.#bytes += sizeOf(message);
  }

  /** Returns the reason why no further step may follow; undefined if one may. */
  #reachedLimit(): string | undefined {
    const { maxSteps, maxTokens = Infinity } = this.#agent;
    if (this.#count >= maxSteps) return 'max_steps';
    if (this.#tokens >= maxTokens) return 'max_tokens';
    return this.#bytes > MAX_TRANSCRIPT_BYTES ? 'agent_transcript_limit' : undefined;
  }

  #outputs(finishReason: string, structured?: Value): ValueMap {
    return {
      text: { S: this.#text },
      ...(structured !== undefined && { structured }),
      steps: { U: String(this.#count) },
      finish_reason: { S: finishReason },
    };
  }
}
