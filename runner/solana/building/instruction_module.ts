import type { LosslessJson, ValueMap } from '../../../types/values/value.ts';
import type { RunNode } from '../../engine/graph/graph.ts';
import type { HandedInstructions, NodeCall, SettledModule } from '../../engine/node.ts';
import type { ParkedRun } from '../../engine/tree/settlement.ts';
import type { ParkedInstructions } from './bundling.ts';
import type { InstructionSet } from '../transaction_order.ts';

/** The instructions and outputs that an instruction node returns. */
export interface BuiltInstructions extends HandedInstructions {
  instructions: InstructionSet;
}

/** A node that builds instructions for a transaction. */
export interface InstructionModule extends SettledModule {
  buildInstructions: (call: NodeCall) => BuiltInstructions | Promise<BuiltInstructions>;
  /** Adds the name of a program's error to the message of a failed transaction. */
  nameError?: (message: string, formData: LosslessJson) => string;
}

/** Returns the parked executions of a run with the instructions that they returned. */
export const parkedInstructions = ({ parked }: ParkedRun): ReadonlyMap<RunNode, ParkedInstructions> =>
  // SAFETY: every node that returns instructions is an InstructionModule, and the engine keeps its result unchanged.
  parked as ReadonlyMap<RunNode, ParkedInstructions>;

/** Runs a flow for a node up to its first instructions, and returns these instructions. */
export const collectInstructions = async (
  call: Pick<NodeCall, 'collectInstructions'>,
  flowId: number,
  inputs: ValueMap,
): Promise<InstructionSet> =>
  // SAFETY: if makeSettlement ends a run as `collected`, the instructions that it gives are an InstructionSet.
  await call.collectInstructions(flowId, inputs) as InstructionSet;

/** Returns the error of a node whose transaction failed, with the name that its program gives the error. */
export function errorOf({ module, formData }: RunNode, message: string): string {
  // SAFETY: every node that returns instructions is an InstructionModule.
  return (module as InstructionModule | undefined)?.nameError?.(message, formData) ?? message;
}
