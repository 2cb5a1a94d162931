import { StackError } from '../../stack/stack_error.ts';
import { markdownTable } from '../markdown_table.ts';
import { page, paragraph, sourcesOf } from './page.ts';

/** The meanings of the members of `runner_metrics()`. */
const METRICS: Record<string, string> = {
  queue_length: 'runs that a worker may claim now, including those whose worker died',
  oldest_queued_seconds:
    'how long the first of them has been claimable; `null` if there is none. Above 60, look at `private.check_runner_schedule()`',
  delayed: 'runs without a claim that go on at a later time, such as those that sleep',
  running: 'runs that a worker holds',
  waiting: 'runs that wait for a signature or an input, until it arrives or the time for it is over',
  failed_last_hour: 'runs that failed within the last hour',
  pending_webhooks:
    'webhooks out that were not delivered yet, also those whose next attempt is later. If it grows, a receiver is down, or no worker delivers',
};

/** Returns the names of the metrics, as the database has them. */
export function metricNames(): string[] {
  const text = sourcesOf('sql', '.sql').find((source) => source.includes('create function private.runner_metrics()'));
  const built = text?.split('jsonb_build_object(')[1]?.split('comment on function')[0];
  if (built === undefined) throw new StackError('sql/ has no private.runner_metrics() that builds an object.');
  return [...built.matchAll(/^\s{4}'(\w+)',/gm)].map(([, name]) => name!);
}

/** Makes docs/reference/metrics.md. Throws if a metric is not described, or a described one does not exist. */
export function metricsPage(): string {
  const names = metricNames();
  const gaps = [
    ...names.filter((name) => !Object.hasOwn(METRICS, name)).map((name) => `${name} is not described`),
    ...Object.keys(METRICS).filter((name) => !names.includes(name)).map((name) => `there is no metric ${name}`),
  ];
  if (gaps.length > 0) throw new StackError(`dev/docs/reference/metrics_page.ts: ${gaps.join('; ')}.`);
  return page(
    'Metrics',
    '`dev/docs/reference/metrics_page.ts` and `private.runner_metrics()`',
    paragraph(
      'The state of the queue. Only the service role may read it: `POST /rest/v1/rpc/runner_metrics` with a secret key as `apikey`. It counts root runs; runs that other runs called belong to their root run.',
    ),
    '```sh\ncurl -s -X POST "$API_URL/rest/v1/rpc/runner_metrics" -H "apikey: $SECRET_KEY"\n```',
    markdownTable([['metric', 'counts'], ...names.map((name) => [`\`${name}\``, METRICS[name]!])]),
    paragraph(
      'Worker and function `runner` write one line of JSON for each run that ends and for each failure, with ids and durations (`event`: `run_finished`, `run_suspended`, `run_interrupted`, `claim_lost`, `queue_unreadable`). [Scaling](../operating/scaling.md) says which figures of the database to watch.',
    ),
  );
}
