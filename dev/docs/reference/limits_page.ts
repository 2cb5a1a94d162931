import { settingVariables } from '../../../runner/settings.ts';
import { definitionLimits } from '../../../types/limits/definitions.ts';
import { deploymentLimits } from '../../../types/limits/deployments.ts';
import { flowLimits } from '../../../types/limits/flows.ts';
import type { Limit, Limits } from '../../../types/limits/limit.ts';
import { countText, sizeText } from '../../../types/limits/limit_text.ts';
import { nodeLimits } from '../../../types/limits/nodes.ts';
import { quotas } from '../../../types/limits/quotas.ts';
import { requestLimits } from '../../../types/limits/requests.ts';
import { runLimits } from '../../../types/limits/runs.ts';
import { scriptLimits } from '../../../types/limits/scripts.ts';
import { connectionLimits } from '../../../types/limits/connections.ts';
import { storeLimits } from '../../../types/limits/stores.ts';
import { markdownTable } from '../markdown_table.ts';
import { list, page, paragraph } from './page.ts';

const amount = (value: number, unit: string): string =>
  unit === 'bytes' ? sizeText(value) : `${countText(value)} ${unit}`;

const table = (limits: Limits): string =>
  markdownTable([
    ['what', 'at most', 'beyond it'],
    ...Object.values(limits).map(({ meaning, value, unit, beyond }) => [meaning, amount(value, unit), beyond]),
  ]);

const runnerLimits = settingVariables.filter(({ variable }) =>
  /^(FLOW_RUN|HTTP|SIGNATURE|ACTION)_/.test(variable) || variable === 'RUNNER_LEASE_SECONDS'
);
const runnerTable = (): string =>
  markdownTable([
    ['what', 'at most', 'changed by'],
    ...runnerLimits.map(({ variable, meaning, unit, default: value }) => [
      meaning.split(/\. /)[0]!.replace(/\.$/, ''),
      amount(value, unit),
      `\`${variable}\``,
    ]),
  ]);

const quotaTable = (): string =>
  markdownTable([
    ['quota', 'at most', 'of'],
    ...Object.entries<Limit>(quotas).map(([name, { value, unit, meaning }]) => [
      `\`${name}\``,
      unit === 'bytes' ? sizeText(value) : countText(value),
      meaning,
    ]),
  ]);

/** Makes docs/reference/limits.md from the modules of limits. */
export const limitsPage = (): string =>
  page(
    'Limits',
    '`types/limits/` and `runner/settings.ts`',
    paragraph(
      'If an operator can change a limit, the table says how. [Environment](environment.md) lists the settings with their ranges; [errors](errors.md) says what each refusal means.',
    ),
    '## Requests',
    table(requestLimits),
    '## A flow',
    table(flowLimits),
    paragraph(
      'The size of a column is the size that Postgres stores, after compression. A flow that was stored before a limit existed stays and runs, but its next write must be within the limit. Names are limited because findings and warnings repeat them.',
    ),
    '## A deployment, and who starts it',
    table(deploymentLimits),
    list([
      'An amount of `fees` is 0 to 2^64-1 lamports. More is refused with 400 `fees_invalid`.',
      'The limits of starts apply to starts by callers other than the owner, and to starts by incoming webhooks. A single caller or webhook may use a tenth of each limit, rounded up. Guests are callers who have not signed up (public keys and anonymous sign-ins). All guests together may use half of each limit.',
      'The defaults depend on `start_permission`, and change with it. A limit that the owner has set stays. `null` restores the default. If anybody may start a deployment, the answer to the deploy has its limits.',
      'A minute is a calendar minute of the database clock, so up to twice the limit may start within 60 seconds that span two minutes. Concurrent starts may exceed a limit, but no start below a limit is refused.',
      'Repetitions of a start with the same `Idempotency-Key` do not count, and are not refused.',
      'A refusal has the header `Retry-After`. Its `details` name the limit, and `of` says whose share is used up: `all`, `guests` or `caller`.',
      'The operator sets the limit of claimable runs: `POST /rest/v1/rpc/set_max_queue_length {"max_length": 50000}` with a secret key. While the limit is reached, other callers can not start the flows of an owner who has a tenth of these runs or more. Owners are never refused. The count of runs is exact to 1 %.',
    ]),
    '## What a user may have',
    quotaTable(),
    paragraph(
      'Anything beyond a quota is refused with 409 `quota_exceeded`. The tag `latest` does not count. A frozen flow counts once for all deployments of the user that run it. The operator lists quotas with `POST /rest/v1/rpc/quotas` and changes one for all users with `POST /rest/v1/rpc/set_quota {"name": "flows", "value": 5000}` (`null`: back to the default), with a secret key. If a quota is lowered, a user who has more keeps everything, but can\'t add anything.',
    ),
    '## One run',
    paragraph('The limits include the flows that the run calls. The environment of the runner changes these limits:'),
    runnerTable(),
    paragraph('These limits are fixed:'),
    table(runLimits),
    paragraph('Scripts in Rhai have [limits of their own](rhai.md#limits).'),
    '## Scripts in JavaScript',
    paragraph('The nodes that run a library in the sandbox have the same limits.'),
    table(scriptLimits),
    '## Nodes for values',
    table(nodeLimits),
    '## Connections',
    table(connectionLimits),
    '## Key-value stores',
    table(storeLimits),
    '## A node definition',
    paragraph('A refusal names the path. `node_id` has the limit of [a flow](#a-flow).'),
    table(definitionLimits),
    '## How long things are kept',
    list([
      'Root runs, with all that belongs to them, are kept for `max_age` after their end. This also includes outgoing webhooks that are still pending. `max_age` is 30 days by default, and at least 24 hours (`private.schedule_runner`). A sweep deletes up to 10,000 root runs at a time.',
      "Only `max_age` limits the total size of a user's runs. Each run may have inputs of 1 MiB, such as the body of a webhook, and an output of 16 MiB. To count these bytes, each start would have to read all runs. When you read many runs, leave `output` out with `select`.",
      'Idempotency keys are kept for 24 hours. Snapshots are kept as long as a deployment, or a run that has not ended, needs them.',
      'Everything of a user is deleted with the user. Runs that the user started on flows of others stay, without the name of their starter.',
    ]),
  );
