import { type Address, address, createNoopSigner, type Instruction } from '@solana/kit';
import { COMPUTE_BUDGET_PROGRAM_ADDRESS } from '@solana-program/compute-budget';
import { getTransferSolInstruction } from '@solana-program/system';
import { haltError, NodeError } from '../engine/node.ts';
import type { ChainSigner, InstructionSet, TransactionOrder, TransactionRecord } from './transaction.ts';
import { appendMemo, memoReference, memoText } from './action_memo.ts';
import { type BudgetSources, withComputeBudget } from './compute_budget.ts';
import { combineInstructionSets, uniteSigners } from './instruction_set.ts';
import type { RpcCaller } from './json_rpc.ts';
import { readLookupTable } from './lookup_table.ts';
import { compileMessage, encodeTransaction } from './message.ts';
import { DEFAULT_PRICE, estimatePrice, writableAccounts } from './priority_fee.ts';
import type { ChainRpc } from './rpc.ts';
import type { RunSettings } from './run_settings.ts';
import { type OpenWallet, signWithStored } from './signing.ts';
import type { TransactionSettings } from './transaction_settings.ts';

export interface BuildDeps {
  run: { id: string; settings: RunSettings };
  settings: TransactionSettings;
  caller: RpcCaller;
  rpc: ChainRpc;
  openWallet: OpenWallet;
  heliusApiKey?: string | undefined;
  now: () => number;
}

/** For a message that is only simulated, under whatever blockhash. */
const NO_BLOCKHASH = '1'.repeat(32);

/** Those of the compute budget stand for the whole transaction, and a wallet may change them. */
const isCounted = ({ programAddress }: Instruction): boolean => programAddress !== COMPUTE_BUDGET_PROGRAM_ADDRESS;

/** The instructions of each member: as long as a transaction is not signed as a whole, they are there. */
const instructionSets = ({ members }: TransactionOrder): InstructionSet[] =>
  members.map(({ instructions }) => {
    if (instructions === undefined) throw new Error('the instructions of an unsigned transaction are missing');
    return instructions;
  });

/** Who signs, by key. The fee payer that the flow's environment names is named by the flow. */
export function signersOfOrder(order: TransactionOrder, settings: TransactionSettings): Map<string, ChainSigner> {
  const signers = instructionSets(order).flatMap(({ feePayer, signers }) => [feePayer, ...signers]);
  const { overwriteFeePayer: publicKey } = settings;
  if (publicKey !== undefined) signers.push({ type: 'adapter', publicKey, isNamedByFlow: true });
  return uniteSigners(signers);
}

/** The fees of the run, in list order. */
const transfers = (feePayer: string, fees: RunSettings['fees']): Instruction[] =>
  fees.map(([recipient, lamports]) =>
    getTransferSolInstruction({
      source: createNoopSigner(address(feePayer)),
      destination: address(recipient),
      amount: BigInt(lamports),
    })
  );

/** The action's memo, signed by its identity; throws when the identity's key is not stored any more. */
async function makeMemo(identity: string, { run, openWallet, now }: BuildDeps): Promise<string> {
  const reference = memoReference(run.id, BigInt(Math.floor(now() / 1_000)));
  const signature = await signWithStored(openWallet, identity, reference);
  if (signature === undefined) throw new NodeError(`the owner has no stored key of the action identity ${identity}`);
  return memoText(identity, reference, signature);
}

/** Makes the message of an order, with nothing signed; `identity` is that of its memo. Throws a NodeError when it can't be made. */
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
  const instructions = [...combined.instructions, ...transfers(feePayer, fees)];

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
    estimatePrice: async () =>
      deps.heliusApiKey === undefined ? DEFAULT_PRICE : await estimatePrice(
        caller,
        deps.heliusApiKey,
        writableAccounts(feePayer, instructions),
        (content) => order.log('Warn', content),
      ),
  };
  const budgeted = await withComputeBudget(instructions, settings, sources);
  const memo = identity === undefined ? null : await makeMemo(identity, deps);
  const final = identity === undefined || memo === null ? budgeted : appendMemo(budgeted, identity, memo);

  // Last of all: it is good for about a minute.
  const lifetime = await rpc.getLatestBlockhash(settings.txCommitment);
  const message = compile(final, lifetime.blockhash);
  // Too large a transaction is an error before anybody is asked for anything.
  encodeTransaction(message);
  const members = order.members.map(({ execution: { flow_run_id, node_id, times } }, index) => ({
    flow_run_id,
    node_id,
    times,
    instruction_count: sets[index]?.instructions.filter(isCounted).length ?? 0,
  }));
  const [{ flow_run_id, node_id, times }] = members as [typeof members[number]];
  return {
    flow_run_id,
    node_id,
    times,
    members,
    message,
    wire: null,
    memo,
    has_fees: fees.length > 0,
    slot: String(lifetime.slot),
    last_valid_block_height: String(lifetime.lastValidBlockHeight),
  };
}
