import { stringify } from 'lossless-json';
import type { Claim } from '../../runner/queue/claim/claims.ts';
import type { FlowBuilder } from './flow_builder.ts';
import { plainSettings } from './transactions.ts';

let count = 0;

/** Makes the first claim of a new run of a flow, as a claim of the database returns it. */
export function claimOf(flow: FlowBuilder, change: Partial<Claim> = {}): Claim {
  count += 1;
  return {
    flow_run_id: `00000000-0000-7000-8000-${String(count).padStart(12, '0')}`,
    claim_number: 1,
    lost_claim_count: 0,
    flow_id: 1,
    user_id: '00000000-0000-4000-8000-0000000000aa',
    started_by: null,
    inputs: { M: { n: { U: '1' } } },
    settings: plainSettings('https://api.devnet.solana.com'),
    snapshot_hash: String(count),
    snapshot: stringify({ entry: flow.graph(), flows: {} }) ?? null,
    work_ms: 0,
    output_bytes: 0,
    earlier_output_bytes: null,
    stop: null,
    ...change,
  };
}
