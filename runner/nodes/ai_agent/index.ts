import { formConnection, type NodeCall, type NodeModule, requireInput } from '../../engine/node.ts';
import type { ModelAnswer, ModelRequest } from '../../models/model.ts';
import { paidCall } from '../../models/paid_call.ts';
import { readModelSettings, readResponseSchema } from '../../models/settings.ts';
import definition from './definition.json' with { type: 'json' };
import { flowsOfTools, nodesOfTools, readAgentForm, timeLimitMs } from './form.ts';
import { AgentPlan } from './plan.ts';
import { makeTool, withoutPorts } from './tools.ts';

/** Calls the model in a step. The form data of the step are those of the agent. */
async function ask(request: ModelRequest, call: NodeCall): Promise<ModelAnswer> {
  const { formData, http, models, maxOutputBytes } = call;
  // In the form of an agent, max_tokens limits all answers together.
  const settings = { ...readModelSettings(formData), maxTokens: undefined };
  // Runs without this node do not load the code of the dialects.
  const { callModel } = await import('../../models/call_model.ts');
  return await call.rest(() =>
    paidCall(call, async (signal) => {
      const credential = await formConnection(call, signal);
      return await callModel({ ...settings, credential }, request, {
        http,
        models,
        signal,
        maxBytes: maxOutputBytes,
      });
    })
  );
}

/**
 * Lets a model call flows of the owner and described nodes until it has an answer. The calls of the model and of the
 * tools are executions of a run that the node calls, so a later claim repeats none that has ended.
 */
export const aiAgentNode: NodeModule = {
  definition,
  effectsOfCalledFlow: 'all',
  calledFlows: flowsOfTools,
  calledNodes: nodesOfTools,
  timeLimitMs,
  run: (call) => {
    const { formData, inputs, maxOutputBytes } = call;
    readModelSettings(formData);
    const form = readAgentForm(formData);
    const agent = {
      ...form,
      formData,
      definition: withoutPorts(definition),
      tools: form.tools.map((tool) => makeTool(tool, call, definition)),
      responseSchema: readResponseSchema(formData),
      maxOutputBytes,
      ask,
    };
    return call.runSteps(new AgentPlan(agent, requireInput(inputs, 'input')));
  },
};
