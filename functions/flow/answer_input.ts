import type { Context } from 'hono';
import type { InputQuestion } from '../../types/answer_schema.ts';
import { faultsOfAnswer } from '../../types/check_answer.ts';
import { requestLimits } from '../../types/limits/requests.ts';
import { type AnswerInputResult, inputTokenPathSchema, submitInputParamsSchema } from '../../types/pending_input.ts';
import { toReadableJson } from '../../types/values/json/readable_json.ts';
import { decodeValue } from '../../types/values/value.ts';
import { ADMISSION_OPTIONS, makeAdmission } from '../../platform/admission.ts';
import { apiError } from '../../platform/api_error.ts';
import { RawJson } from '../../platform/database/raw_json.ts';
import { MAX_BODY_BYTES, parse, readJson } from '../_shared/body.ts';
import type { Deps } from '../_shared/deps.ts';
import { rawMember } from '../_shared/lossless_body.ts';
import { makeTokenOwners } from '../_shared/token_owners.ts';
import { makeIdentifyAnswerer } from './identify_answerer.ts';

/** An answer: its arguments for SQL, and its parsed JSON, which is checked against the question of the node. */
interface ReadAnswer {
  args: Record<string, unknown>;
  readable: unknown;
}

/** Reads the arguments of submit_input. Numbers of `values` keep all their digits. */
async function readSubmit(request: Request): Promise<ReadAnswer> {
  const { json, text } = await readJson(request, MAX_BODY_BYTES);
  const { value, values } = parse(submitInputParamsSchema, json, 'body');
  if (value !== undefined) return { args: { value }, readable: toReadableJson(decodeValue(value)) };
  // The value is wrapped in an array, because PostgREST treats a null argument as absent. SAFETY: `json` is an object,
  // because the schema accepts nothing else.
  return { args: { values: new RawJson(`[${rawMember(text, json as object, 'values').text}]`) }, readable: values };
}

/** Refuses an answer that does not fit the question of the node. */
function checkAnswer(question: Partial<InputQuestion>, answer: unknown): void {
  const faults = faultsOfAnswer(question, answer);
  const [first] = faults;
  if (first === undefined) return;
  const place = first.path === '' ? '' : `${first.path}: `;
  throw apiError('answer_invalid', `The answer does not fit the question: ${place}${first.message}.`, {
    details: faults.slice(0, requestLimits.listed_faults.value),
  });
}

/** Waits for a promise. Returns its result or its error. */
const settled = <Result>(promise: Promise<Result>): Promise<{ result?: Result; error?: unknown }> =>
  promise.then((result) => ({ result }), (error: unknown) => ({ error }));

/** A way to answer an input: the SQL function, and the reader of the arguments other than the token. */
interface Answer {
  rpc: 'submit_input' | 'cancel_input';
  /** Undefined for a cancellation, which has no value. */
  read?: (request: Request) => Promise<ReadAnswer>;
}

/**
 * Allows one call at a time for each token, so that one token does not use up the turns of its owner's other tokens.
 */
const ONE_AT_A_TIME = { ...ADMISSION_OPTIONS, slots: Infinity, aloneSlots: 1, sharedSlots: 1, maxWaiting: 10 };

/**
 * Makes the two routes that answer a pending input. `POST /flow/submit/{token}` gives the waiting node its value;
 * `DELETE` makes the node fail. Unless everybody who has the token may answer, the database also checks the credential
 * of the request. The answers for all runs of one owner share one turn
 * (see admission.ts). `pokeRunner` is called after an answer is stored.
 */
export function makeAnswerInput(deps: Deps, pokeRunner: () => void) {
  const { serviceRpc } = deps;
  const ownerOf = makeTokenOwners((tokens) => serviceRpc('pending_input_owners', { tokens }));
  const admission = makeAdmission(ONE_AT_A_TIME);
  const identify = makeIdentifyAnswerer(deps);
  const answerBy = ({ rpc, read }: Answer) => async (context: Context): Promise<Response> => {
    const { token } = parse(inputTokenPathSchema, context.req.param(), 'path');
    const owner = await ownerOf(token);
    if (owner === undefined) {
      // If the token becomes invalid after this check, the database raises the same error.
      throw apiError('pending_input_not_found', 'There is no such pending input.', {
        hint: 'The URL of an input stops working when the input expires, or when its run ends or is stopped. If only ' +
          'some people may answer, send the access token of one of them.',
      });
    }
    const idempotency_key = context.req.header('idempotency-key');
    const body = read && await settled(read(context.req.raw));
    await admission.admit(token, async () => {
      const answered_as = await identify(context.req.raw, token, owner);
      // A fault of the body is told only now, so that a caller who may not answer always gets the same error.
      if (body?.error !== undefined) throw body.error;
      const answer = body?.result;
      const args = { token, ...answer?.args, idempotency_key, answered_as };
      const call = (args: object) =>
        // SAFETY: submit_input returns null or the question of the node. cancel_input returns nothing.
        serviceRpc<Partial<InputQuestion> | null | undefined>(rpc, args, {}, { turnOf: `inputs of ${owner}` });
      const question = await call(args);
      if (answer === undefined || !question) return;
      checkAnswer(question, answer.readable);
      await call({ ...args, is_checked: true });
    });
    pokeRunner();
    const result: AnswerInputResult = { success: true };
    return context.json(result);
  };
  return {
    submit: answerBy({ rpc: 'submit_input', read: readSubmit }),
    cancel: answerBy({ rpc: 'cancel_input' }),
  };
}
