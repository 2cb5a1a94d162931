import type { NodeDefinition } from '../../../types/node_definition.ts';
import { codedError } from '../../../types/run_errors.ts';
import type { LosslessJson, ValueMap } from '../../../types/values/value.ts';
import { readPresets } from '../../engine/graph/graph.ts';
import { type AnyModule, type NodeCall, NodeError, type NodeModule } from '../../engine/node.ts';
import { MAX_DESCRIPTION, type ToolForm } from './form.ts';
import { inputsOfFlow, inputsOfNode, ToolInputs } from './tool_inputs.ts';

/** A flow or a described node that the model may call. */
export interface Tool extends Pick<ToolForm, 'name' | 'description' | 'needsApproval' | 'answering'> {
  inputs: ToolInputs;
  /** The form data of a step that calls the tool: those that the author has fixed. */
  formData: LosslessJson;
  /** Makes the module of a step that calls the tool with these arguments. Its output is `result`. */
  makeModule: (values: ValueMap) => NodeModule;
}

/** The definition of a step, which has no ports. */
export const withoutPorts = (definition: NodeDefinition): NodeDefinition => ({
  ...definition,
  sources: [],
  targets: [],
});

/**
 * Leaves out what tells a model nothing new: outputs that repeat a member of another output, and the headers of an
 * answer, in which a server may set cookies.
 */
function resultOf(outputs: ValueMap): ValueMap {
  const members = new Set(Object.values(outputs).flatMap((value) => 'M' in value ? Object.values(value.M) : []));
  return Object.fromEntries(
    Object.entries(outputs).filter(([name, value]) => name !== 'headers' && !members.has(value)),
  );
}

function flowTool(form: ToolForm, flowId: number, call: NodeCall, definition: NodeDefinition): Tool {
  const graph = call.graphOfFlow(flowId);
  if (graph === undefined) throw new NodeError(`tools: the snapshot of the run has no flow ${flowId}`);
  return {
    ...form,
    inputs: new ToolInputs(inputsOfFlow(graph)),
    formData: null,
    makeModule: (values) => ({
      definition: withoutPorts(definition),
      effectsOfCalledFlow: 'all',
      calledFlows: () => [flowId],
      run: async ({ callFlow }) => ({ result: { M: await callFlow(flowId, values) } }),
    }),
  };
}

/** The settings of described nodes beside their inputs. */
const SETTINGS = ['connection', 'server', 'server_variables', 'program'];

/** Returns the module, which must compute its outputs itself. */
function runModule(module: AnyModule | undefined, name: string): NodeModule {
  if (module === undefined) {
    throw new NodeError(
      codedError(
        'node_not_implemented',
        `tools: at the deploy there was no definition of the node of the tool ${name}`,
      ),
    );
  }
  if ('buildInstructions' in module) {
    throw new NodeError(
      `tools: the node of the tool ${name} makes an instruction, which needs a flow around it; make that flow the tool`,
    );
  }
  return module;
}

function nodeTool(form: ToolForm, { kind, formData }: NonNullable<ToolForm['node']>, { moduleOf }: NodeCall): Tool {
  const module = runModule(moduleOf(kind), form.name);
  const { targets, data } = module.definition;
  const known = [...targets.map((target) => target.name), ...SETTINGS];
  const unknown = Object.keys(formData ?? {}).find((member) => !known.includes(member));
  // A misspelt input must not count as missing: then the model would choose its value.
  if (unknown !== undefined) throw new NodeError(`tools: the node of the tool ${form.name} has no input ${unknown}`);
  const { presets, fault } = readPresets(targets, formData);
  if (fault !== undefined) throw new NodeError(`tools: ${form.name}: ${fault}`);
  return {
    ...form,
    description: form.description || [...data.description ?? ''].slice(0, MAX_DESCRIPTION).join(''),
    inputs: new ToolInputs(inputsOfNode(targets.filter(({ name }) => presets[name] === undefined))),
    formData,
    makeModule: (values) => ({
      definition: withoutPorts(module.definition),
      run: async (call) => ({
        result: { M: resultOf(await module.run({ ...call, inputs: { ...presets, ...values } })) },
      }),
    }),
  };
}

/** Makes a tool. `definition` is that of the agent. Throws a NodeError if the snapshot lacks the flow or the node. */
export const makeTool = (form: ToolForm, call: NodeCall, definition: NodeDefinition): Tool =>
  form.node === undefined ? flowTool(form, form.flowId, call, definition) : nodeTool(form, form.node, call);
