import { flowLimits } from '../limits/flows.ts';
import { sizeText } from '../limits/limit_text.ts';
import { requestLimits } from '../limits/requests.ts';
import type { ErrorEntry } from './error_entry.ts';

/** The errors of requests in general. */
export const requestErrors = {
  request_invalid: {
    status: 400,
    meaning: 'The request is malformed; `details` lists what is wrong and where.',
    remedy: 'Correct what `details` lists.',
    example: {
      message: 'The body is invalid: inputs.amount.U: must be an integer from 0 to 2^64-1, as a string.',
      details: [{ path: 'inputs.amount.U', message: 'must be an integer from 0 to 2^64-1, as a string' }],
    },
  },
  count_inexact: {
    status: 400,
    meaning: '`Prefer: count=planned` and `count=estimated` count rows that the caller may not see; use `count=exact`.',
    remedy: 'Send `Prefer: count=exact`, or leave the header out.',
  },
  pattern_filter_refused: {
    status: 400,
    meaning:
      'The gateway of the local stack refuses filters of `/rest/v1` by a regular expression (`match`, `imatch`), because a single one can use up a database connection.',
    remedy: 'Filter by `like`, `ilike`, `eq` or `in`. The secret key may use regular expressions.',
    example: {
      message: 'Filters by a regular expression (match, imatch) are refused.',
      hint: 'Use like, ilike, eq or in. In the lists of and and or, no text may hold ".match." or ".imatch.".',
    },
  },
  inputs_invalid: {
    status: 400,
    meaning:
      '`inputs` must be an object of tagged values, and `values` an object of plain JSON that fits the inputs. Each name in them must be an input of the flow, and may occur only once.',
    remedy:
      'In `inputs`, send an object of values with one tag each, such as `{"item": {"S": "tea"}}`. In `values`, send an object of plain JSON. `details` names what is wrong and where. `GET /deployment/read` lists the types of each input.',
    example: {
      message: 'inputs: the flow has no input "ammount"; it has "amount", "order".',
      details: [{ path: 'inputs.ammount', message: 'the flow has no such input' }],
    },
  },
  answer_invalid: {
    status: 400,
    meaning:
      'An answer to a node `api_input` must fit the `json_schema` or the `choices` of the node; `details` lists the faults.',
    remedy: 'Correct what `details` lists. The row in `pending_inputs` has the schema and the choices.',
    example: {
      message: 'The answer does not fit the question: amount: Too small: expected number to be >=1.',
      details: [{ path: 'amount', message: 'Too small: expected number to be >=1' }],
    },
  },
  public_key_invalid: {
    status: 400,
    meaning: '`public_key` must be a public key: base58 of 32 bytes.',
    remedy: 'Send base58 of 32 bytes.',
    example: { message: '`public_key` must be a public key: base58 of 32 bytes.' },
  },
  idempotency_key_invalid: {
    status: 400,
    meaning:
      `The Idempotency-Key must have 1 to ${requestLimits.idempotency_key_characters.value} characters. If the caller has only a public key, the Idempotency-Key must have at least ${requestLimits.min_guest_idempotency_key_characters.value}.`,
    remedy: 'Send a random UUID.',
    example: {
      message:
        'Idempotency-Key must have 1 to 255 characters, and at least 22 from a caller with only a public key: use a random UUID.',
    },
  },
  column_invalid: {
    status: 400,
    meaning: 'A column of the row has a value that is not allowed; `details` names the column and the expected form.',
    remedy: 'Correct the column that `details` names.',
    example: {
      message: 'cron.hour: has "25", where a number from 0 to 23, a range or * is needed.',
      details: [{
        path: 'cron.hour',
        message: 'has "25", where a number from 0 to 23, a range or * is needed',
      }],
    },
  },
  column_read_only: {
    status: 400,
    meaning: 'The write changes a column that is read-only.',
    remedy: 'Leave out the column, or send it unchanged.',
    example: {
      message: 'next_start_at, last_start_at, last_flow_run_id and last_error of a schedule are kept by the system.',
      hint: 'Leave them out.',
    },
  },
  route_not_found: {
    status: 404,
    meaning: 'There is no such route.',
    remedy: 'Check the path: [openapi.json](openapi.json) lists the routes.',
  },
  method_not_allowed: {
    status: 405,
    meaning: 'The route does not take this method; the header `Allow` lists the methods that the route takes.',
    remedy: 'Use a method that `Allow` lists.',
    example: { message: 'This route takes GET, not POST.' },
  },
  idempotency_key_reused: {
    status: 409,
    meaning: 'The Idempotency-Key was used for another request.',
    remedy: 'Use a new key for a new request.',
    example: {
      message: 'This Idempotency-Key was used for another request within the last 24 hours.',
      hint: 'Use a new key for a new request. To repeat a request, send it unchanged.',
    },
  },
  quota_exceeded: {
    status: 409,
    meaning: 'The user has reached a quota; `details` names it and its value.',
    remedy: 'Delete what you no longer need, or ask the operator for a larger quota.',
    example: {
      message: 'You have reached the quota of wallets: a user may have 1000 at most.',
      details: { limit: 1_000, of: 'wallets' },
      hint: 'Delete what you no longer need, or ask the operator of this project for more.',
    },
  },
  body_timeout: {
    status: 408,
    meaning: 'The body arrives too slowly for the gateway of the local stack; `hint` says how fast it must be.',
    remedy: 'Send the request again, and send its body without pauses.',
    example: {
      message: 'The body arrives too slowly: 15 s have passed without its end.',
      hint: 'Send at least 65536 bytes of a body within 15 s.',
    },
  },
  body_too_large: {
    status: 413,
    meaning: `The body is larger than ${
      sizeText(requestLimits.body_bytes.value)
    }. These routes have other limits: \`/signature/submit\` and \`/apikey/\` take at most ${
      sizeText(requestLimits.small_body_bytes.value)
    }, and \`/rest/v1/flows\` takes at most ${sizeText(flowLimits.flow_bytes.value)} from a signed-in user.`,
    remedy: 'Send less.',
    example: { message: 'The body is larger than 1048576 bytes.' },
  },
  media_type_unsupported: {
    status: 415,
    meaning: 'A body must be `application/json`.',
    remedy: 'Send `content-type: application/json`.',
    example: {
      message: 'A body must be application/json.',
      hint: 'Send the header Content-Type: application/json.',
    },
  },
  too_many_requests: {
    status: 429,
    meaning:
      'Too many requests of this caller, or of all callers, are waiting in the Edge Function. Or this caller, or all callers together, have too many event streams open. Or a user has called `check_flow` too often. Try again after `Retry-After` seconds.',
    remedy: 'Wait for `Retry-After` seconds. Then send fewer requests at a time.',
    example: {
      message: 'Too many requests are waiting already.',
      hint: 'Wait for as many seconds as Retry-After says. Then send fewer requests at a time.',
    },
  },
  internal: {
    status: 500,
    meaning: 'Something unexpected happened; the log of the function has the reason.',
    remedy: 'Read the log of the function.',
    example: { message: 'Something unexpected happened.' },
  },
  service_unavailable: {
    status: 503,
    meaning: 'The database does not answer; try again after `Retry-After` seconds.',
    remedy: 'Try again after `Retry-After`.',
    example: { message: 'The database does not answer right now.' },
  },
} as const satisfies Record<string, ErrorEntry>;
