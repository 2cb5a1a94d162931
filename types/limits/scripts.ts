import type { Limits } from './limit.ts';

const NODE_FAILS = 'the node fails';
const CPU_LIMIT = '`node_cpu_limit`';

/** The limits of the sandbox: of scripts in JavaScript, and of the nodes that run a library in it. */
export const scriptLimits = {
  script_source_characters: {
    value: 65_536,
    unit: 'characters',
    meaning: 'the source of a script in JavaScript',
    beyond: NODE_FAILS,
  },
  sandbox_bytes: { value: 32 * 2 ** 20, unit: 'bytes', meaning: 'memory of the sandbox', beyond: NODE_FAILS },
  sandbox_ms: {
    value: 5_000,
    unit: 'ms',
    meaning: 'computing of one execution in the sandbox, in a thread',
    beyond: CPU_LIMIT,
  },
  sandbox_ms_without_threads: {
    value: 500,
    unit: 'ms',
    meaning: 'computing of one execution in the sandbox, where the runtime has no threads',
    beyond: CPU_LIMIT,
  },
  sandbox_output_levels: {
    value: 64,
    unit: 'levels',
    meaning: 'nesting of an output of the sandbox',
    beyond: NODE_FAILS,
  },
  sandbox_error_characters: {
    value: 10_000,
    unit: 'characters',
    meaning: 'an error of a script',
    beyond: 'the beginning is kept',
  },
} satisfies Limits;
