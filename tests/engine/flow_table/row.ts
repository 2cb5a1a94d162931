import { type AnyModule, type NativeNodes, NodeError } from '../../../runner/engine/node.ts';
import { nodeRegistry } from '../../../runner/nodes/registry.ts';
import type { Effects } from '../../../types/node_definition.ts';
import type { Value, ValueMap } from '../../../types/values/value.ts';
import { type ExecuteFlowOptions, testNode } from '../../support/execute_flow.ts';
import { FlowBuilder } from '../../support/flow_builder.ts';
import { instructionNode } from '../../support/scripted_transactions.ts';

/** One flow of the table, with its expected result in the form that `showRun` writes. */
export interface FlowRow {
  /** The claim of the test, as a full sentence. */
  title: string;
  flow: (flow: FlowBuilder) => void;
  inputs?: ValueMap;
  /** The flows that this flow calls, by their ids. */
  flows?: { [flowId: string]: (flow: FlowBuilder) => void };
  options?: Pick<ExecuteFlowOptions, 'limits' | 'environment'>;
  output: string;
  runs: string[];
  /** The expected errors; none if the run succeeds. */
  errors?: string[];
  notRun?: string[];
  logs?: string[];
}

/** A node that passes on two inputs and has one output of its own. Its first input must be a public key. */
const keyNode = testNode(['key»', 'maybe?»'], ['own'], () => ({ own: { S: 'own' } }));
keyNode.definition.targets[0]!.type_bounds = ['pubkey', 'keypair'];

/** A node that changes something outside. */
const actNode = (effects: Effects) =>
  testNode(['with?', 'also?', 'passed?»'], ['done'], ({ inputs }) => ({ done: inputs.with ?? s('nothing') }), {
    effects,
  });

/** Nodes for the tests. Their traits occur only in chain nodes, or in no real node. */
const testNodes: { [nodeId: string]: AnyModule } = {
  test_instruction: instructionNode,
  // This node may be repeated, so a worker may die while the node runs.
  test_act: actNode('idempotent'),
  test_key: keyNode,
  test_incomplete: testNode(['in?»'], ['given', 'missing', 'also_missing', 'optional?'], () => ({ given: s('given') })),
  test_nul: testNode([], ['out'], () => ({ out: s('a\0b') })),
  test_long_error: testNode([], ['out'], () => {
    throw new NodeError('x'.repeat(10_000));
  }),
};

export const tableRegistry: NativeNodes = (nodeId) => testNodes[nodeId] ?? nodeRegistry(nodeId);

const onceNode = actNode('once');

/**
 * A registry with the same nodes, except that the node that acts must not be repeated. Once its begin is stored, that
 * node runs to its end, even if the claim is to be released.
 */
export const onceRegistry: NativeNodes = (nodeId) => nodeId === 'test_act' ? onceNode : tableRegistry(nodeId);

export function buildFlow(build: FlowRow['flow']): FlowBuilder {
  const flow = new FlowBuilder(tableRegistry);
  build(flow);
  return flow.freeze();
}

export const buildFlows = (flows: FlowRow['flows'] = {}): { [flowId: string]: FlowBuilder } =>
  Object.fromEntries(Object.entries(flows).map(([id, build]) => [id, buildFlow(build)]));

/** Makes a decimal. */
export const d = (number: number): Value => ({ D: String(number) });
/** Makes a text. */
export const s = (text: string): Value => ({ S: text });
export const list = (...members: Value[]): Value => ({ A: members });
