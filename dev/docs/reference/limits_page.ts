import { ADMISSION_OPTIONS } from '../../../functions/_shared/admission.ts';
import { MAX_BODY_BYTES } from '../../../functions/_shared/body.ts';
import { TOKEN_OWNERS } from '../../../functions/_shared/token_owners.ts';
import { COMMENT_MS, STREAM_MS } from '../../../functions/flow/run_event_stream.ts';
import { WATCHER_PLACES } from '../../../functions/flow/watcher_places.ts';
import { DEFAULT_TIMEOUT_SECONDS, MAX_TIMEOUT_SECONDS } from '../../../runner/nodes/api_input/index.ts';
import { settingVariables } from '../../../runner/settings.ts';
import { DEFAULT_WAIT_SECONDS, MAX_WAIT_SECONDS } from '../../../types/flow_run.ts';
import { MAX_MESSAGE_BYTES } from '../../../types/signature_request.ts';
import { MAX_NUMBER_CHARACTERS } from '../../../types/values/number_text.ts';
import { MAX_VALUE_DEPTH } from '../../../types/values/value.ts';
import type { StartLimits } from '../../../types/deployment.ts';
import { DEFAULT_START_LIMITS, guestsShare } from '../../../types/start_limits.ts';
import { StackError } from '../../stack/stack_error.ts';
import { markdownTable } from '../markdown_table.ts';
import { byteCount, count, findNumber, list, page, paragraph, sourcesOf } from './page.ts';

type Rows = [what: string, limit: string, consequence: string][];

const inTypeScript = (folder: string) => ({ folder, suffix: '.ts' });

/** Returns the quotas of a user, as the database lists them. */
export function quotas(): { name: string; value: number; noun: string }[] {
  const text = sourcesOf('sql', '.sql').find((source) => source.includes('create function private.known_quotas()'));
  const found = [...(text ?? '').matchAll(/^ +\('(\w+)', (\d+)(?:::bigint)?, '([^']+)'\)/gm)];
  if (found.length === 0) throw new StackError('sql/ has no list of quotas in private.known_quotas().');
  return found.map(([, name, value, noun]) => ({ name: name!, value: Number(value), noun: noun! }));
}

const startLimit = (name: keyof StartLimits): string => {
  const { anonymous, others } = DEFAULT_START_LIMITS;
  return `${count(others[name])}; where anybody may start it ${count(anonymous[name])}, ${
    count(guestsShare(anonymous[name]))
  } of them by guests`;
};

function settingDefault(name: string): number {
  const found = settingVariables.find(({ variable }) => variable === name);
  if (found === undefined) throw new StackError(`The runner has no setting ${name}, whose default the limits need.`);
  return found.default;
}

const requests = (): Rows => [
  ['body of a request', byteCount(MAX_BODY_BYTES), '413 `body_too_large`'],
  [
    'body of `POST /signature/submit`',
    byteCount(findNumber(/MAX_BODY_BYTES = ([\d_]+);/g, inTypeScript('functions/signature'))),
    '413 `body_too_large`',
  ],
  [
    '`inputs` of a start',
    byteCount(findNumber(/measure_json\(check_inputs\.inputs, (\d+)\)/g)),
    '413 `inputs_too_large`',
  ],
  [
    'digits of a number in JSON that is stored, before and after the point',
    count(findNumber(/v_digits\.longest > (\d+)/g)),
    '400, with the place of the number',
  ],
  ['arrays and maps within each other, in a value', count(MAX_VALUE_DEPTH), '400'],
  ['characters of the text of a number', count(MAX_NUMBER_CHARACTERS), '400; in JSON from outside it becomes a float'],
  [
    'levels and values of a body',
    `${2 * MAX_VALUE_DEPTH + 8} and ${
      count(findNumber(/MAX_VALUE_DEPTH \+ 8, members: ([\d_]+)/g, inTypeScript('functions/_shared')))
    }`,
    '400 `request_invalid`',
  ],
  [
    '`Idempotency-Key`',
    '1 to 255 characters; 22 to 255 for a caller with a public key',
    '400 `idempotency_key_invalid`',
  ],
  ['how long an `Idempotency-Key` is remembered', '24 hours', 'then it starts a new run'],
  [
    'waiting of `GET /flow/output` and `GET /flow/signature_request`',
    `${DEFAULT_WAIT_SECONDS} s, with \`?wait=\` at most ${MAX_WAIT_SECONDS} s`,
    '202 or 204: call again',
  ],
  [
    'length of a stream of `GET /flow/events`, and time without an event until a comment comes',
    `${STREAM_MS / 1000} s and ${COMMENT_MS / 1000} s`,
    'the stream ends: connect again with `Last-Event-ID`',
  ],
  [
    'streams of events that an isolate has open: of one caller, or of others than the owner of the runs, and of all',
    `${count(WATCHER_PLACES.partyPlaces)} and ${count(WATCHER_PLACES.places)}`,
    '429 `too_many_requests`',
  ],
  [
    'of these, streams of callers without an account: of the runs of one owner, and of all',
    `${WATCHER_PLACES.ownersGuestPlaces} and ${WATCHER_PLACES.guestPlaces}`,
    '429 `too_many_requests`',
  ],
  [
    'a value in an event',
    byteCount(findNumber(/pg_column_size\(event_value\.value\) > (\d+)/g)),
    'it is null; `node_run` has it',
  ],
  [
    'calls of one caller that an isolate of a function has under way in the database: alone, and while others call too',
    `${ADMISSION_OPTIONS.alonePlaces} and ${ADMISSION_OPTIONS.sharedPlaces}`,
    'others wait; callers take turns',
  ],
  [
    'calls that wait there: of one caller, and of all',
    `${ADMISSION_OPTIONS.maxWaiting} and ${count(ADMISSION_OPTIONS.maxAllWaiting)}`,
    '429 `too_many_requests` for the caller who has the most',
  ],
  [
    'tokens in URLs, API keys, run tokens and deployments whose owners an isolate looks up: by one call, and waiting for it',
    `${count(TOKEN_OWNERS.callTokens)} and ${count(TOKEN_OWNERS.maxWaiting)}`,
    '429 `too_many_requests`',
  ],
  [
    'fields of a form that an incoming webhook takes',
    count(findNumber(/webhook_form\.body, '&', ''\)\) >= (\d+)/g)),
    '400 `request_invalid`',
  ],
  [
    'runs that have led to a request to an incoming webhook by webhooks',
    count(findNumber(/v_most constant integer := (\d+);\n {2}v_depth integer/g)),
    '409 `webhook_loop`',
  ],
  [
    'headers of a request to an incoming webhook',
    byteCount(findNumber(/receive_webhook\.headers::text\) > (\d+)/g)),
    '400 `request_invalid`',
  ],
  ['faults that `details` of a request lists', '20', 'others are left out'],
];

const flows = (): Rows => [
  ['nodes', count(findNumber(/\('nodes', (\d+), jsonb_array_length/g)), '422 `flow_invalid`: `flow_too_large`'],
  ['edges', count(findNumber(/\('edges', (\d+), jsonb_array_length/g)), '422 `flow_invalid`: `flow_too_large`'],
  [
    'inputs, and outputs, of a node',
    count(findNumber(/@\.sources\.size\(\) > (\d+)/g)),
    '422 `flow_invalid`: `node_malformed`',
  ],
  [
    'edges that lead into one node',
    count(findNumber(/having count\(\*\) > (\d{4})/g)),
    '422 `flow_invalid`: `node_edges_too_many`',
  ],
  [
    'attempts of a node, and milliseconds of a pause between them, in `data.retry`',
    `${count(findNumber(/'max_attempts', 1, (\d+), true/g))} and ${count(findNumber(/'delay_ms', 0, (\d+), true/g))}`,
    '422 `flow_invalid`: `node_malformed`',
  ],
  [
    'labels; ids and names of ports',
    `${findNumber(/form_data,label\}'\) > (\d+)/g)} characters`,
    '422 `flow_invalid`: `node_malformed`',
  ],
  [
    '`node_id` in a flow',
    `${findNumber(/data ->> 'node_id'\) > (\d+)/g)} characters`,
    '422 `flow_invalid`: `node_malformed`',
  ],
  [
    'all of a flow, as JSON text: `nodes`, `edges`, and the rest of the row',
    byteCount(findNumber(/v_most constant integer := (\d+);\n {2}v_most_written/g)),
    '400 `column_invalid`',
  ],
  [
    '`nodes` and `edges` that one request writes, in all flows together',
    byteCount(findNumber(/v_most_written constant bigint := (\d+)/g)),
    '413 `flows_too_large`',
  ],
  ['levels of JSON in a flow', `${findNumber(/\*\*\{(\d{3})\}'\) then/g) - 1}`, '400 `column_invalid`'],
  ['`environment`', byteCount(findNumber(/pg_column_size\(environment\) <= (\d+)/g)), '400 `column_invalid`'],
  [
    '`chain_network` of a flow',
    byteCount(findNumber(/octet_length\(chain_network::text\) <= (\d+)/g)),
    '400 `column_invalid`',
  ],
  [
    '`name`',
    `${findNumber(/flows_name_length check \(\s*char_length\(name\) <= (\d+)/g)} characters`,
    '400 `column_invalid`',
  ],
  [
    '`description`',
    `${count(findNumber(/flows_description_length check \(\s*char_length\(description\) <= (\d+)/g))} characters`,
    '400 `column_invalid`',
  ],
  [
    'what is run: the flow and those that it calls, without what only the editor needs',
    byteCount(findNumber(/v_max_size constant integer := (\d+);/g)),
    '422 `flow_invalid`: `snapshot_too_large`',
  ],
  ['findings and warnings that an answer lists', '1,000 and 100', 'others are left out'],
];

const deployments = (): Rows => [
  ['pairs of `fees`', count(findNumber(/jsonb_array_length\(fees_faults\.fees\) > (\d+)/g)), '400 `fees_invalid`'],
  ['an amount of `fees`', '0 to 2^64-1 lamports', '400 `fees_invalid`'],
  ['a tag', '1 to 128 characters: letters, digits, `.`, `_`, `-`; first a letter or digit', '400 `column_invalid`'],
  [
    'description of a tag',
    `${
      count(
        findNumber(
          /flow_deployments_tags_description_length check \(\s*description is null or char_length\(description\) <= (\d+)/g,
        ),
      )
    } characters`,
    '400 `column_invalid`',
  ],
  [
    '`max_starts_per_minute`, by default',
    startLimit('max_starts_per_minute'),
    '429 `start_limit_reached`',
  ],
  [
    '`max_runs_in_flight`, by default',
    startLimit('max_runs_in_flight'),
    '429 `start_limit_reached`',
  ],
  [
    '`inputs` and `values` of a schedule, together',
    byteCount(findNumber(/octet_length\("values"::text\) <= (\d+)/g)),
    '400 `column_invalid`',
  ],
  [
    'claimable runs of the project, by default',
    count(findNumber(/s\.max_length from private\.queue_settings as s\), (\d+)\)/g)),
    '429 `queue_full`',
  ],
];

const runs = (): Rows =>
  settingVariables.filter(({ variable }) => /^(FLOW_RUN|HTTP|SIGNATURE|ACTION)_/.test(variable)).map((
    { variable, meaning, unit, default: value },
  ) => [
    meaning.split(/\. /)[0]!.replace(/\.$/, ''),
    unit === 'bytes' ? byteCount(value) : `${count(value)} ${unit}`,
    `\`${variable}\``,
  ]);

const fixedRuns = (): Rows => [
  [
    'time that `api_input` waits, by default',
    `${count(DEFAULT_TIMEOUT_SECONDS)} s, 7 days`,
    'the node fails: `input_expired`',
  ],
  ['the same, at most', `${count(MAX_TIMEOUT_SECONDS)} s, 30 days`, 'the node fails'],
  [
    'an answer to a pending input, with its tags',
    byteCount(findNumber(/measure_json\(check_inputs\.inputs, (\d+)\)/g)),
    '413 `inputs_too_large`',
  ],
  [
    'answers to the pending inputs of one run, together',
    byteCount(findNumber(/v_most constant bigint := (\d+);/g)),
    '413 `inputs_too_large`',
  ],
  [
    'lines in `errors` of a run',
    count(findNumber(/MAX_ERROR_LINES = ([\d_]+);/g, inTypeScript('runner/engine'))),
    'others are left out',
  ],
  [
    'characters of an error line',
    count(findNumber(/MESSAGE_CHARACTERS = ([\d_]+);/g, inTypeScript('runner/engine'))),
    'beginning and end are kept',
  ],
  [
    'characters of all error lines of a run',
    count(findNumber(/MAX_ERRORS_CHARACTERS = ([\d_]+);/g, inTypeScript('runner/engine'))),
    'of long lines beginning and end are kept',
  ],
  [
    'characters of a log line',
    count(findNumber(/LOG_CHARACTERS = ([\d_]+);/g, inTypeScript('runner/engine'))),
    'beginning and end are kept',
  ],
  [
    'redirects of an HTTP request',
    count(findNumber(/MAX_REDIRECTS = (\d+);/g, inTypeScript('runner/reach'))),
    'the node fails',
  ],
  ['levels of JSON from an HTTP response', count(MAX_VALUE_DEPTH), 'the node fails'],
  [
    'answer of an RPC server of the chain',
    `${byteCount(4 * 2 ** 20)}, ${
      findNumber(/ANSWER_LIMITS = Object\.freeze\(\{ depth: (\d+)/g, inTypeScript('runner/solana'))
    } levels, ${
      count(
        findNumber(
          /ANSWER_LIMITS = Object\.freeze\(\{ depth: \d+, members: ([\d_]+)/g,
          inTypeScript('runner/solana'),
        ),
      )
    } values`,
    'the node fails',
  ],
  ['bytes of a transaction', count(MAX_MESSAGE_BYTES), 'the node fails'],
  [
    'how long it takes until the run of a dead worker goes on',
    `${settingDefault('RUNNER_LEASE_SECONDS')} s (\`RUNNER_LEASE_SECONDS\`)`,
    '',
  ],
];

const stores = (): Rows => [
  ['stores of a user', count(findNumber(/v_usage\.store_count > (\d+)/g)), '`kv_stores_limit`'],
  [
    'keys and values of all stores of a user, as text',
    byteCount(findNumber(/v_usage\.item_bytes > (\d+)/g)),
    '`kv_size_limit`',
  ],
  ['name of a store', '1 to 120 letters, digits, `_`, `-`; first a letter', '`kv_store_name_invalid`'],
  ['a key', `1 to ${count(findNumber(/octet_length\(key\) between 1 and (\d+)/g))} bytes`, '`kv_key_invalid`'],
];

const definitions = (): Rows => [
  [
    'a definition',
    `${
      byteCount(findNumber(/const MAX_SIZE = ([\d_]+);/g, inTypeScript('types')))
    }: strings and member names as UTF-8, and 8 bytes for each value`,
    '',
  ],
  ['levels', '64', ''],
  ['`node_id`', `1 to ${findNumber(/\('node_id', (\d+)\)/g)} characters`, ''],
  ['`version`', `1 to ${findNumber(/\('version', (\d+)\)/g)} characters`, ''],
  ['`type`', '1 to 64 letters, digits, `_`, `-`; first a letter; neither `true` nor `false`', ''],
  ['names of ports and members', '256 characters', ''],
];

const table = (rows: Rows, last: string): string =>
  markdownTable([['what', 'at most', last], ...rows].map((row) => last === '' ? row.slice(0, 2) : row));

/** Makes docs/reference/limits.md from the constants and the SQL that set the limits. */
export const limitsPage = (): string =>
  page(
    'Limits',
    'the constants and the SQL in which they stand (`dev/docs/reference/limits_page.ts` says where)',
    paragraph(
      'Where an operator can change a limit, the table says how. [Environment](environment.md) lists the settings with their ranges; [errors](errors.md) says what each refusal means.',
    ),
    '## Requests',
    table(requests(), 'beyond it'),
    '## A flow',
    table(flows(), 'beyond it'),
    paragraph(
      'Sizes of columns are those that Postgres stores, after compression. A flow that was stored before a limit existed stays and runs; its next write has to be within the limit. Names are limited because findings and warnings repeat them.',
    ),
    '## A deployment, and who starts it',
    table(deployments(), 'beyond it'),
    list([
      'The limits of starts hold for starts by others than the owner, and by incoming webhooks. One caller, and one webhook, may use a tenth of each, rounded up. All callers who have not signed up (public keys and anonymous sign-ins) may use half of each together: they are guests.',
      'The defaults follow `start_permission`, also when it changes later. A limit that the owner has set stays; `null` sets the default again. A deploy tells the limits of a deployment that anybody may start.',
      'A minute is the calendar minute of the database clock, so that up to twice the limit may start within 60 seconds across its end. Starts that are in flight at the same moment may exceed a limit; nobody is refused below it.',
      'Repeats of a start by `Idempotency-Key` do not count, and are not refused.',
      'A refusal has `Retry-After`; `details` say which limit it was, and in `of` whose share: `all`, `guests` or `caller`.',
      'The operator changes how many claimable runs there may be: `POST /rest/v1/rpc/set_max_queue_length {"max_length": 50000}` with a secret key. While there are as many, others can not start the flows of an owner who has a tenth of them or more; owners are never refused. The length is exact to 1 %.',
    ]),
    '## What a user may have',
    markdownTable([
      ['quota', 'at most', 'of'],
      ...quotas().map((
        { name, value, noun },
      ) => [`\`${name}\``, name.endsWith('_bytes') ? byteCount(value) : count(value), noun]),
    ]),
    paragraph(
      'One more is refused with 409 `quota_exceeded`. The tag `latest` does not count. A frozen flow counts once for all deployments of the user that run it. The operator lists quotas with `POST /rest/v1/rpc/quotas` and changes one for all users with `POST /rest/v1/rpc/set_quota {"name": "flows", "value": 5000}` (`null`: back to the default), with a secret key. A user who has more than a lowered quota keeps it, but can\'t add anything.',
    ),
    '## One run',
    paragraph('Flows that it calls are included. The environment of the runner changes these:'),
    table(runs(), 'changed by'),
    paragraph('These are fixed:'),
    table(fixedRuns(), 'beyond it'),
    paragraph('Scripts have [limits of their own](rhai.md#limits).'),
    '## Key-value stores',
    table(stores(), 'beyond it'),
    '## A node definition',
    paragraph('Beyond these: 400 `node_definition_invalid`, with a path.'),
    table(definitions(), ''),
    '## How long things are kept',
    list([
      'Root runs, with all that belongs to them: `max_age` after their end, 30 days by default, 24 hours at least (`private.schedule_runner`), outgoing webhooks that are still pending included. A sweep deletes up to 10,000 at a time.',
      'How much the runs of a user take together has no limit but `max_age`: each may have inputs of 1 MiB, such as the body of a webhook, and outputs of 16 MiB. Counting them would read all of them at each start. When you read many runs, leave `output` out with `select`.',
      'Idempotency keys: 24 hours. Snapshots: as long as a deployment or a run that has not ended needs them.',
      'Everything of a user is deleted with the user. Runs that the user started on flows of others stay, without the name of their starter.',
    ]),
  );
