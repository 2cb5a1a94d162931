import { codedError } from '../../types/run_errors.ts';
/** The bytes that nodes of a run, and of the runs that it called, may still output. */
export interface OutputBudget {
  /** Takes this many bytes. If they exceed the budget, takes no bytes and returns an error. */
  take: (bytes: number) => string | undefined;
  /** Bytes taken so far, by earlier claims as well. */
  used: () => number;
}

export interface OutputBudgetOptions {
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
