import type { LosslessNumber } from 'lossless-json';
import type { LosslessJson } from './values/value.ts';

/** Bytes that a flow may have as JSON text: the table refuses more, and so does the local gateway. */
export const MAX_FLOW_BYTES = 8 * 1024 * 1024;

/**
 * How often a node is tried when it fails in a way that passes: `data.retry` of the editor's JSON, of which a snapshot has all
 * members. Numbers keep their source text when they are read from a snapshot.
 */
export type NodeRetry = {
  [member in 'max_attempts' | 'delay_ms' | 'backoff' | 'max_delay_ms']: number | LosslessNumber;
};

/** An input, as the flow's JSON declares it. */
export interface SnapshotTarget {
  id: string;
  name: string;
  type_bounds: string[];
  required: boolean;
  passthrough: boolean;
  /** A node with effects runs although the source of this input gave no value. */
  when_absent?: 'run' | null;
}

/** The parts of a node that running needs, as a snapshot keeps them. */
export interface SnapshotNode {
  id: string;
  data: {
    type: 'native' | 'deno' | 'WASM' | 'mock';
    node_id: string;
    display_name?: string | null;
    retry?: NodeRetry;
    sources: { id: string; name: string; type?: string; optional?: boolean | null }[];
    targets: SnapshotTarget[];
    targets_form: { form_data: LosslessJson; extra?: LosslessJson };
    instruction_info?: { before: string[]; signature: string; after: string[] } | null;
  };
}

export interface SnapshotEdge {
  source: string;
  sourceHandle: string | null;
  target: string;
  targetHandle: string | null;
}

/** One frozen flow. */
export interface Graph {
  nodes: SnapshotNode[];
  edges: SnapshotEdge[];
  environment: { [name: string]: string };
  instructions_bundling: 'Off' | 'Automatic';
}

/** A frozen flow, with all flows that it calls, directly or not, by id. */
export interface Snapshot {
  entry: Graph;
  flows: { [flowId: string]: Graph };
}
