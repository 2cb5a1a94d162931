import type { Graph } from '../../types/flow.ts';
import type { ValueMap } from '../../types/values/value.ts';
import type { StoredPartialConfig } from '../engine/graph/partial_run.ts';

/** The settings of a run, as they were when it was started. */
export interface RunSettings {
  /** If true, the first transaction becomes the run's output and is not sent. */
  output_instructions: boolean;
  /** Public key of the owner's wallet that signs the memo of actions. */
  action_identity: string | null;
  /** Public key whose holder signs the transactions of actions last, and sends them. */
  action_signer: string | null;
  /** Lamports as decimal text. */
  fees: [recipient: string, lamports: string][];
  /** `url` is the RPC address, which may carry a secret. */
  chain_network: { url: string; cluster: string };
  /** Environment variables that the starter gives. A variable that the flow defines keeps the flow's value. */
  environment?: Graph['environment'];
  /** Fixed outputs of the flow's nodes, by node. A node with fixed outputs is not executed. */
  pins?: Record<string, ValueMap>;
  /** Set only for a partial run. */
  partial_config?: StoredPartialConfig;
}

/**
 * If the run is an action, returns the key that signs last and whose holder sends the transaction; otherwise undefined.
 */
export const actionSignerOf = (
  { output_instructions, action_identity, action_signer }: RunSettings,
): string | undefined => output_instructions || action_identity === null ? undefined : action_signer ?? undefined;
