import { readOptionalField, toText } from '../../../types/values/conversion.ts';
import { codedError } from '../../../types/run_errors.ts';
import type { Value, ValueMap } from '../../../types/values/value.ts';
import { formConnection, type NodeCall, NodeError, type NodeModule } from '../../engine/node.ts';
import type { ModelAnswer, ModelMessage, ModelRequest } from '../../models/model.ts';
import { paidCall } from '../../models/paid_call.ts';
import { readModelSettings, readResponseSchema } from '../../models/settings.ts';
import { readStructured } from '../../models/structured.ts';
import { readMessages } from './conversation.ts';
import definition from './definition.json' with { type: 'json' };

/** The answers of a model to one execution: a wrong answer may be followed by a second one. */
interface Answered {
  answers: ModelAnswer[];
  structured?: Value;
}

const askAgain = (text: string, fault: string): ModelMessage[] => [
  // An empty message is not allowed.
  ...(text === '' ? [] : [{ role: 'assistant' as const, text }]),
  { role: 'user', text: `Your answer does not fit the JSON Schema: ${fault}. Answer again, only with JSON that fits.` },
];

/** Asks for an answer, and once more if the answer does not fit the schema. */
async function ask(
  request: ModelRequest,
  maxBytes: number,
  callOnce: (request: ModelRequest) => Promise<ModelAnswer>,
): Promise<Answered> {
  const answers: ModelAnswer[] = [];
  let { messages } = request;
  for (;;) {
    const answer = await callOnce({ ...request, messages });
    answers.push(answer);
    if (request.responseSchema === undefined || answer.finishReason === 'refusal') return { answers };
    const read = readStructured(answer, request.responseSchema, maxBytes);
    if ('value' in read) return { answers, structured: read.value };
    if (answers.length === 2) {
      const fault = `the answer of the model does not fit response_schema: ${read.fault}`;
      throw new NodeError(codedError('model_answer_invalid', fault));
    }
    messages = [...messages, ...askAgain(answer.text, read.fault)];
  }
}

function outputsOf({ answers, structured }: Answered): ValueMap {
  const { text, finishReason } = answers.at(-1)!;
  const sum = (member: 'inputTokens' | 'outputTokens') =>
    String(answers.reduce((total, { usage }) => total + usage[member], 0));
  return {
    text: { S: text },
    ...(structured !== undefined && { structured }),
    usage: {
      M: {
        requests: { U: String(answers.length) },
        input_tokens: { U: sum('inputTokens') },
        output_tokens: { U: sum('outputTokens') },
      },
    },
    finish_reason: { S: finishReason },
  };
}

async function run(call: NodeCall): Promise<ValueMap> {
  const { inputs, formData, http, models, maxOutputBytes, timeoutMs } = call;
  const settings = readModelSettings(formData);
  const request: ModelRequest = {
    system: readOptionalField(inputs, 'system', toText),
    messages: readMessages(inputs),
    responseSchema: readResponseSchema(formData),
  };
  // Runs without this node do not load the code of the dialects.
  const { callModel } = await import('../../models/call_model.ts');
  return await call.rest(() =>
    paidCall(call, async (signal) => {
      const credential = await formConnection(call, signal);
      const limits = { http, models, signal, maxBytes: maxOutputBytes, timeoutMs };
      return outputsOf(
        await ask(request, maxOutputBytes, (one) => callModel({ ...settings, credential }, one, limits)),
      );
    })
  );
}

/** Asks a model, and gives its answer as text or in the form of a schema. */
export const aiChatNode: NodeModule = { definition, run };
