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
      'Where an operator can change a limit, the table says how. [Environment](environment.md) lists the settings with their ranges; [errors](errors.md) says what each refusal means.',
    ),
    '## Requests',
    table(requestLimits),
    '## A flow',
    table(flowLimits),
    paragraph(
      'Sizes of columns are those that Postgres stores, after compression. A flow that was stored before a limit existed stays and runs; its next write has to be within the limit. Names are limited because findings and warnings repeat them.',
    ),
    '## A deployment, and who starts it',
    table(deploymentLimits),
    list([
      'An amount of `fees` is 0 to 2^64-1 lamports. More is refused with 400 `fees_invalid`.',
      'The limits of starts hold for starts by others than the owner, and by incoming webhooks. One caller, and one webhook, may use a tenth of each, rounded up. All callers who have not signed up (public keys and anonymous sign-ins) may use half of each together: they are guests.',
      'The defaults follow `start_permission`, also when it changes later. A limit that the owner has set stays; `null` sets the default again. A deploy tells the limits of a deployment that anybody may start.',
      'A minute is the calendar minute of the database clock, so that up to twice the limit may start within 60 seconds across its end. Starts that are in flight at the same moment may exceed a limit; nobody is refused below it.',
      'Repeats of a start by `Idempotency-Key` do not count, and are not refused.',
      'A refusal has `Retry-After`; `details` say which limit it was, and in `of` whose share: `all`, `guests` or `caller`.',
      'The operator changes how many claimable runs there may be: `POST /rest/v1/rpc/set_max_queue_length {"max_length": 50000}` with a secret key. While there are as many, others can not start the flows of an owner who has a tenth of them or more; owners are never refused. The length is exact to 1 %.',
    ]),
    '## What a user may have',
    quotaTable(),
    paragraph(
      'One more is refused with 409 `quota_exceeded`. The tag `latest` does not count. A frozen flow counts once for all deployments of the user that run it. The operator lists quotas with `POST /rest/v1/rpc/quotas` and changes one for all users with `POST /rest/v1/rpc/set_quota {"name": "flows", "value": 5000}` (`null`: back to the default), with a secret key. A user who has more than a lowered quota keeps it, but can\'t add anything.',
    ),
    '## One run',
    paragraph('Flows that it calls are included. The environment of the runner changes these:'),
    runnerTable(),
    paragraph('These are fixed:'),
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
      'Root runs, with all that belongs to them: `max_age` after their end, 30 days by default, 24 hours at least (`private.schedule_runner`), outgoing webhooks that are still pending included. A sweep deletes up to 10,000 at a time.',
      'How much the runs of a user take together has no limit but `max_age`: each may have inputs of 1 MiB, such as the body of a webhook, and outputs of 16 MiB. Counting them would read all of them at each start. When you read many runs, leave `output` out with `select`.',
      'Idempotency keys: 24 hours. Snapshots: as long as a deployment or a run that has not ended needs them.',
      'Everything of a user is deleted with the user. Runs that the user started on flows of others stay, without the name of their starter.',
    ]),
  );
