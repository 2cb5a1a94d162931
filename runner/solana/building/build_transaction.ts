import type { Address, Instruction } from '@solana/kit';
import { haltError, NodeError } from '../../engine/node.ts';
import type { ChainSigner, InstructionSet, TransactionOrder, TransactionRecord } from '../transaction_order.ts';
import { appendMemo, signMemo } from '../action/action_memo.ts';
import { type BudgetSources, isOfComputeBudget, withComputeBudget } from './compute_budget.ts';
import { feeInstructions } from './fee_instructions.ts';
import { combineInstructionSets, uniteSigners } from './instruction_set.ts';
import type { RpcCaller } from '../rpc/json_rpc.ts';
import { readLookupTable } from '../rpc/lookup_table.ts';
import { compileMessage, encodeTransaction } from './message.ts';
import { estimatePrice, writableAccounts } from '../rpc/priority_fee.ts';
import type { ChainRpc } from '../rpc/rpc.ts';
import type { RunSettings } from '../run_settings.ts';
import type { OpenWallet } from '../signing/signing.ts';
import type { TransactionSettings } from '../read_transaction_settings.ts';

interface BuildDeps {
  run: { id: string; settings: RunSettings };
  settings: TransactionSettings;
  caller: RpcCaller;
  rpc: ChainRpc;
  openWallet: OpenWallet;
  heliusApiKey?: string | undefined;
  now: () => number;
}

/** The blockhash of messages that are only simulated. The simulation uses the newest blockhash instead. */
const NO_BLOCKHASH = '1'.repeat(32);

/**
 * Returns the instructions of each member of an order. A member is a parked execution. It keeps its instructions until
 * the transaction has all signatures.
 */
const instructionSets = ({ members }: TransactionOrder): InstructionSet[] =>
  members.map(({ instructions }) => {
    if (instructions === undefined) throw new Error('the instructions of an unsigned transaction are missing');
    return instructions;
  });

/**
 * Returns the signers of an order's transaction, by key. If the flow's environment names a fee payer, this key counts
 * as named by the flow.
 */
export function signersOfOrder(order: TransactionOrder, settings: TransactionSettings): Map<string, ChainSigner> {
  const signers = instructionSets(order).flatMap(({ feePayer, signers }) => [feePayer, ...signers]);
  const { overwriteFeePayer: publicKey } = settings;
  if (publicKey !== undefined) signers.push({ type: 'adapter', publicKey, isNamedByFlow: true });
  return uniteSigners(signers);
}

/**
 * Makes the unsigned message of an order. `identity` is the key that signs the message's memo. Throws a NodeError if
 * the message can't be made.
 */
export async function buildTransaction(
  order: TransactionOrder,
  identity: string | undefined,
  deps: BuildDeps,
): Promise<TransactionRecord> {
  const { run, settings, caller, rpc } = deps;
  const sets = instructionSets(order);
  const combined = combineInstructionSets(sets);
  const feePayer = settings.overwriteFeePayer ?? combined.feePayer.publicKey;
  const fees = order.chargesFees ? run.settings.fees : [];
  const instructions = [...combined.instructions, ...feeInstructions(feePayer, fees)];

  const table = settings.lookupTables[run.settings.chain_network.cluster];
  const lookupTables: { [table: Address]: Address[] } = table === undefined
    ? {}
    : { [table]: await readLookupTable(rpc, table, settings.txCommitment) };
  const compile = (content: Instruction[], blockhash: string) =>
    compileMessage({ feePayer, instructions: content, blockhash, lookupTables });

  const sources: BudgetSources = {
    async simulateUnits(simulated) {
      try {
        const wire = encodeTransaction(compile([...simulated], NO_BLOCKHASH));
        const { err, unitsConsumed } = await rpc.simulateTransaction(wire, settings.simulationCommitment);
        if (err === null && unitsConsumed !== undefined) return unitsConsumed;
        order.log('Debug', 'the simulation of the transaction failed: its compute units are not known');
      } catch (error) {
        if (caller.signal.aborted) throw haltError(caller.signal);
        if (!(error instanceof NodeError)) throw error;
        order.log('Warn', `the compute units of the transaction are not known: ${error.message}`);
      }
      return undefined;
    },
    estimatePrice: () =>
      estimatePrice(
        caller,
        deps.heliusApiKey,
        writableAccounts(feePayer, instructions),
        (content) => order.log('Warn', content),
      ),
  };
  const budgeted = await withComputeBudget(instructions, settings, sources);
  const memo = identity === undefined
    ? null
    : await signMemo(identity, { runId: run.id, now: deps.now(), openWallet: deps.openWallet });
  const final = identity === undefined || memo === null ? budgeted : appendMemo(budgeted, identity, memo);

  // The blockhash is valid for only about a minute, so it is read last.
  const lifetime = await rpc.getLatestBlockhash(settings.txCommitment);
  const message = compile(final, lifetime.blockhash);
  // If the transaction is too large, this encoding fails before anybody is asked to sign it.
  encodeTransaction(message);
  const members = order.members.map(({ execution: { flow_run_id, node_id, times } }, index) => ({
    flow_run_id,
    node_id,
    times,
    instruction_count: sets[index]?.instructions.filter((one) => !isOfComputeBudget(one)).length ?? 0,
  }));
  const [{ flow_run_id, node_id, times }] = members as [typeof members[number]];
  return {
    flow_run_id,
    node_id,
    times,
    members,
    message,
    wire: null,
    memo: memo?.text ?? null,
    has_fees: fees.length > 0,
    slot: String(lifetime.slot),
    last_valid_block_height: String(lifetime.lastValidBlockHeight),
  };
}
