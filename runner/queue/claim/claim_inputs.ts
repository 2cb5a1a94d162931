import { codedError } from '../../../types/run_errors.ts';
import { decodeValue } from '../../../types/values/value.ts';
import { makeInputToken } from './input_token.ts';
import { pause } from '../../../platform/pause.ts';
import { executionKey } from '../../engine/state/journal.ts';
import { type Effect, type InputState, NodeError, type PendingInputs } from '../../engine/node.ts';
import { releasedIfPassing } from '../../engine/failures/passing_error.ts';
import type { ClaimJournal } from './claim_journal.ts';
import type { Claim, Claims, StoredInput } from './claims.ts';

interface ClaimInputsOptions {
  claims: Pick<Claims, 'takeInputs'>;
  claim: Claim;
  journal: Pick<ClaimJournal, 'flush'>;
  /** Calls the listener whenever inputs of the run have been answered. */
  onInputsAnswered: (listener: () => void) => void;
  /** The address of the function `flow`; undefined if the worker has no setting for it. */
  flowUrl: string | undefined;
}

/** A read of inputs. One call reads all inputs that are requested in one turn of the event loop. */
interface Look {
  executions: Effect[];
  states: Promise<Map<string, InputState>>;
}

function toState({ outcome, value, left_ms }: StoredInput): InputState {
  if (outcome === null) return { status: 'open', leftMs: left_ms };
  return outcome === 'submitted' ? { status: outcome, value: decodeValue(value) } : { status: outcome };
}

/** Makes the service by which nodes of a claimed run wait for inputs. */
export function makeClaimInputs(options: ClaimInputsOptions): PendingInputs {
  const { claims, claim, journal, onInputsAnswered, flowUrl } = options;
  const waiting = new Set<() => void>();
  let next: Look | undefined;
  onInputsAnswered(() => {
    for (const wake of waiting) wake();
  });

  const take = async (executions: Effect[]): Promise<Map<string, InputState>> => {
    // Waits for the other inputs that are requested in this turn of the event loop. Later requests begin another read.
    await Promise.resolve();
    next = undefined;
    try {
      // The requests of this claim are stored first, because the call reads only stored inputs.
      await journal.flush();
      const inputs = await claims.takeInputs(claim, executions);
      return new Map(inputs.map((input) => [executionKey(input), toState(input)]));
    } catch (error) {
      // If the database does not answer, the run is released, and the next claim reads the inputs.
      throw releasedIfPassing(error);
    }
  };
  const makeLook = (): Look => {
    const executions: Effect[] = [];
    return { executions, states: take(executions) };
  };

  return {
    makeAddress: () => {
      if (flowUrl === undefined) {
        throw new NodeError(
          codedError(
            'input_address_unknown',
            "the worker lacks the project's address: set SUPABASE_URL or FLOW_URL",
          ),
        );
      }
      const token = makeInputToken();
      return { token, url: `${flowUrl}/submit/${token}` };
    },
    look: async (execution) => {
      next ??= makeLook();
      const { executions, states } = next;
      executions.push(execution);
      const state = (await states).get(executionKey(execution));
      if (state === undefined) throw new Error('the store has no state for an input that a node asked for');
      return state;
    },
    untilNews: async (timeoutMs, ...signals) => {
      const news = new AbortController();
      const wake = () => news.abort();
      waiting.add(wake);
      await pause(timeoutMs, news.signal, ...signals);
      waiting.delete(wake);
    },
  };
}
