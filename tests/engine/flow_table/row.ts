import { type AnyModule, NodeError, type NodeRegistry } from '../../../functions/runner/engine/node.ts';
import { nodeRegistry } from '../../../functions/runner/nodes/registry.ts';
import type { Value, ValueMap } from '../../../types/values/value.ts';
import { type ExecuteFlowOptions, testNode } from '../../support/execute_flow.ts';
import { FlowBuilder } from '../../support/flow_builder.ts';
import { instructionNode } from '../../support/scripted_transactions.ts';

/** One flow of the table, and what it must come to; texts as `showRun` gives them. */
export interface FlowRow {
  /** A full claim. */
  title: string;
  flow: (flow: FlowBuilder) => void;
  inputs?: ValueMap;
  /** The flows that it calls. */
  flows?: { [flowId: string]: (flow: FlowBuilder) => void };
  options?: Pick<ExecuteFlowOptions, 'limits' | 'environment'>;
  output: string;
  runs: string[];
  /** None: the run succeeds. */
  errors?: string[];
  notRun?: string[];
  logs?: string[];
}

/** Hands two inputs on, of which the first takes a public key, beside an output of its own. */
const keyNode = testNode(['key»', 'maybe?»'], ['own'], () => ({ own: { S: 'own' } }));
keyNode.definition.targets[0]!.type_bounds = ['pubkey', 'keypair'];

/** What only nodes of the chain do, or none must do. */
const testNodes: { [nodeId: string]: AnyModule } = {
  test_instruction: instructionNode,
  test_key: keyNode,
  test_incomplete: testNode(['in?»'], ['given', 'missing', 'also_missing', 'optional?'], () => ({ given: s('given') })),
  test_nul: testNode([], ['out'], () => ({ out: s('a\0b') })),
  test_long_error: testNode([], ['out'], () => {
    throw new NodeError('x'.repeat(10_000));
  }),
};

export const tableRegistry: NodeRegistry = (nodeId) => testNodes[nodeId] ?? nodeRegistry(nodeId);

export function buildFlow(build: FlowRow['flow']): FlowBuilder {
  const flow = new FlowBuilder(tableRegistry);
  build(flow);
  return flow.freeze();
}

export const buildFlows = (flows: FlowRow['flows'] = {}): { [flowId: string]: FlowBuilder } =>
  Object.fromEntries(Object.entries(flows).map(([id, build]) => [id, buildFlow(build)]));

/** A decimal. */
export const d = (number: number): Value => ({ D: String(number) });
/** A text. */
export const s = (text: string): Value => ({ S: text });
export const list = (...members: Value[]): Value => ({ A: members });
