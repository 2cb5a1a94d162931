import { formConnection, type NodeCall, NodeError, type NodeModule, requireInput } from '../../engine/node.ts';
import type { ModelAnswer, ModelRequest } from '../../models/model.ts';
import { paidCall } from '../../models/paid_call.ts';
import { readModelSettings, readResponseSchema } from '../../models/settings.ts';
import definition from './definition.json' with { type: 'json' };
import { type AgentTool, flowsOfTools, readAgentForm, timeLimitMs } from './form.ts';
import { AgentPlan } from './plan.ts';
import { ToolInputs } from './tool_inputs.ts';

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

function inputsOf(tool: AgentTool, { graphOfFlow }: NodeCall): ToolInputs {
  const graph = graphOfFlow(tool.flowId);
  if (graph === undefined) throw new NodeError(`tools: the snapshot of the run has no flow ${tool.flowId}`);
  return new ToolInputs(graph);
}

/**
 * Lets a model call flows of the owner until it has an answer. The calls of the model and of the flows are executions of
 * a run that the node calls, so a later claim repeats none that has ended.
 */
export const aiAgentNode: NodeModule = {
  definition,
  effectsOfCalledFlow: 'all',
  calledFlows: flowsOfTools,
  timeLimitMs,
  run: (call) => {
    const { formData, inputs, maxOutputBytes } = call;
    readModelSettings(formData);
    const form = readAgentForm(formData);
    const agent = {
      ...form,
      formData,
      definition: { ...definition, sources: [], targets: [] },
      inputs: new Map(form.tools.map((tool) => [tool, inputsOf(tool, call)])),
      responseSchema: readResponseSchema(formData),
      maxOutputBytes,
      ask,
    };
    return call.runSteps(new AgentPlan(agent, requireInput(inputs, 'input')));
  },
};
