import { codedError } from '../../../types/run_errors.ts';
/** The bytes that the nodes of a run and of all runs that it called may still output. */
export interface OutputBudget {
  /** Takes this many bytes from the budget. If too few bytes are left, takes none and returns an error. */
  take: (bytes: number) => string | undefined;
  /** Returns the bytes taken so far, including those of earlier claims. */
  used: () => number;
}

interface OutputBudgetOptions {
  limit: number;
  /** Bytes that earlier claims took. */
  used: number;
  /** Called with the number of bytes that were taken. */
  onTake?: (bytes: number) => void;
}

export function makeOutputBudget({ limit, used, onTake }: OutputBudgetOptions): OutputBudget {
  let taken = used;
  return {
    take: (bytes) => {
      if (taken + bytes > limit) {
        return codedError(
          'run_outputs_limit',
          `the outputs of all nodes of a run may hold ${limit} bytes; ` +
            `with these outputs they would hold ${taken + bytes}`,
        );
      }
      taken += bytes;
      onTake?.(bytes);
      return undefined;
    },
    used: () => taken,
  };
}
