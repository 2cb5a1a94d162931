import type { LosslessNumber } from 'lossless-json';
import type { DescribedType } from './described/types.ts';
import type { LosslessJson } from './values/value.ts';

/**
 * The settings by which a node is tried again after a temporary failure. The editor's JSON has them in `data.retry`,
 * where members may be missing. A snapshot has all members. A number from a snapshot keeps its source text.
 */
export type NodeRetry = {
  [member in 'max_attempts' | 'delay_ms' | 'backoff' | 'max_delay_ms']: number | LosslessNumber;
};

/**
 * The word of an input that lets its node run if the edge into the input brings no value: `run` in any case,
 * `run_unless_failed` only if no failure is the cause.
 */
export type WhenAbsent = 'run' | 'run_unless_failed';

/** An input, as the flow's JSON declares it. */
export interface SnapshotTarget {
  id: string;
  name: string;
  type_bounds: string[];
  required: boolean;
  passthrough: boolean;
  when_absent?: WhenAbsent | null;
}

/** The parts of a node that a run needs, as stored in a snapshot. */
export interface SnapshotNode {
  id: string;
  data: {
    type: 'native' | DescribedType | 'deno' | 'WASM' | 'mock';
    node_id: string;
    /** Only in a snapshot: the hash of a described node's definition. */
    definition?: string;
    display_name?: string | null;
    retry?: NodeRetry;
    /** With `output`, a failure becomes the value of the output `error`, which `sources` must declare. */
    on_error?: 'output' | null;
    /** Milliseconds after which an attempt of the node fails. A number from a snapshot keeps its source text. */
    timeout_ms?: number | LosslessNumber | null;
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
  /** `expression` is JSONata that converts each value before the target gets it. */
  data?: { expression?: string | null } | null;
}

/** One frozen flow. */
export interface Graph {
  nodes: SnapshotNode[];
  edges: SnapshotEdge[];
  environment: { [name: string]: string };
  instructions_bundling: 'Off' | 'Automatic';
}

/** The definition of a described node or of a tool of an agent, as a snapshot has it. */
export interface FrozenDefinition {
  type: DescribedType;
  data: {
    node_id: string;
    version: string;
    /** Only for a tool of an agent, as `tooltip` is. */
    description?: string;
    effects?: string;
    implementation: LosslessJson;
  };
  sources: { name: string; type: string; optional?: boolean }[];
  targets: { name: string; type_bounds: string[]; required?: boolean; passthrough?: boolean; tooltip?: string }[];
}

/** A frozen flow (`entry`), and by id all flows that it calls directly or indirectly. */
export interface Snapshot {
  entry: Graph;
  flows: { [flowId: string]: Graph };
  /** The definitions of described nodes and tools by hash. Missing if the flows have none. */
  definitions?: { [hash: string]: FrozenDefinition };
}
