import type {
  DeploymentTarget,
  FlowClient,
  OutputOptions,
  RunReference,
  StartArguments,
  StartedRun,
  StartOptions,
} from '../flow_client.ts';
import { FlowError } from '../flow_error.ts';
import { exactJson } from '../../types/values/json/javascript.ts';
import { readInputs } from './inputs.ts';
import { fromOutput, type PlainValues, readOutput } from '../plain_value.ts';
import { postStart } from './post_start.ts';
import { pause, type Send } from '../requests/request.ts';
import { readReference, runRoute } from './run_reference.ts';
import { asPublicKey, targetQuery } from './target.ts';

/** The seconds that one request waits for an output. The limits of most proxies are higher. */
const WAIT_SECONDS = 50;
/** The milliseconds that an answer may take in addition to the wait. */
const WAIT_MARGIN_MS = 20_000;
/** The shortest time between two requests, in milliseconds. It matters if the server answers without waiting. */
const MIN_LOOK_MS = 500;

const isEmpty = (object: object): boolean => Object.keys(object).length === 0;

/** Makes the body of a start. */
function startBody(plain: object, { inputs: tagged, actionSigner, priority }: StartOptions): string {
  const { values, inputs } = readInputs(plain, tagged);
  return exactJson({
    ...(!isEmpty(values) && { values }),
    ...(!isEmpty(inputs) && { inputs }),
    ...(actionSigner !== undefined && { action_signer: actionSigner }),
    ...(priority !== undefined && { priority }),
  });
}

/** The methods that start, redrive and stop runs, and wait for their outputs. */
export function makeStarting(
  send: Send,
): Pick<FlowClient, 'start' | 'deployment' | 'output' | 'outputValues' | 'redrive' | 'stop'> {
  const start = async (target: DeploymentTarget, values: object = {}, options: StartOptions = {}) => {
    const { publicKey, token, idempotencyKey, signal } = options;
    const path = `/functions/v1/deployment/start?${targetQuery(target)}`;
    const body = startBody(values, options);
    const headers = { ...asPublicKey(publicKey), 'x-flow-run-token': token };
    return await postStart(send, { path, body, headers, idempotencyKey, signal }, 'the start');
  };

  /** Waits until the run has succeeded, and returns the answer with its output. */
  const waitForOutput = async (run: RunReference<object>, { signal, timeoutMs = Infinity }: OutputOptions = {}) => {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const began = Date.now();
      const seconds = Math.max(0, Math.min(WAIT_SECONDS, (deadline - began) / 1000));
      const { status, body } = await send({
        ...runRoute('output', run, `?wait=${seconds.toFixed(3)}`),
        timeoutMs: seconds * 1000 + WAIT_MARGIN_MS,
        isRepeatable: true,
        signal,
      });
      if (status !== 202) return body;
      if (Date.now() >= deadline) {
        throw new FlowError({
          code: 'timed_out',
          message: `The run has not ended within ${timeoutMs} ms; it is ${(body as { status?: string })?.status}.`,
          details: body,
          hint: 'The run continues: wait for its output again, or stop it.',
        });
      }
      const rest = Math.min(MIN_LOOK_MS - (Date.now() - began), deadline - Date.now());
      await pause(Math.max(0, rest), signal);
    }
  };

  const output = async (run: RunReference<object>, options?: OutputOptions): Promise<PlainValues> =>
    fromOutput(await waitForOutput(run, options));

  // SAFETY: the caller asserts `Inputs` and `Outputs`. If `Inputs` is wrong, the deployment refuses the inputs.
  const methods = { start, output } as unknown as Pick<FlowClient, 'start' | 'output'>;
  return {
    ...methods,
    outputValues: async (run, options) => readOutput(await waitForOutput(run, options)),
    deployment: <Inputs extends object, Outputs extends object>(target: DeploymentTarget) => {
      const startTyped = (...args: StartArguments<Inputs>): Promise<StartedRun<Outputs>> =>
        methods.start<Inputs, Outputs>(target, ...args);
      return {
        start: startTyped,
        run: async (...args: StartArguments<Inputs>) =>
          await methods.output<Outputs>(await startTyped(...args), { signal: args[1]?.signal }),
      };
    },
    redrive: async (run, { acceptUnknown = false, deployment, repeatEffects, idempotencyKey, signal } = {}) => {
      // The request uses the owner's credential, because the run's token does not permit a redrive.
      const query = new URLSearchParams({
        accept_unknown: String(acceptUnknown),
        ...(deployment !== undefined && { deployment }),
      });
      const path = `/functions/v1/flow/redrive/${encodeURIComponent(readReference(run).id)}?${query}`;
      const body = JSON.stringify({
        ...(repeatEffects?.length && {
          repeat_effects: repeatEffects.map(({ flow, node }) => ({ flow_id: flow, node_id: node })),
        }),
      });
      return await postStart(send, { path, body, idempotencyKey, signal }, 'the redrive');
    },
    stop: async (run, { reason, graceMs, signal } = {}) => {
      const body = {
        ...(reason !== undefined && { reason }),
        ...(graceMs !== undefined && { timeout_millies: graceMs }),
      };
      await send({
        ...runRoute('stop', run),
        method: 'POST',
        body: JSON.stringify(body),
        isRepeatable: true,
        signal,
      });
    },
  };
}
