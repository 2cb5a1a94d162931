import { StackError } from '../../stack/stack_error.ts';
import { markdownTable } from '../markdown_table.ts';
import { page, paragraph, sourcesOf } from './page.ts';

/** The meanings of the members of `runner_metrics()`. */
const METRICS: Record<string, string> = {
  queue_length: 'runs that a worker may claim now, including those whose worker died',
  oldest_queued_seconds:
    'the seconds for which the oldest of these runs has been claimable; `null` if there is none. If it is above 60, look at `private.check_runner_schedule()`',
  blocked: 'runs that wait for a place of their key (`max_running_per_key`)',
  delayed: 'runs that no worker holds and that continue at a later time, such as runs that sleep',
  running: 'runs that a worker holds',
  waiting: 'runs that wait for a signature or an input',
  failed_last_hour: 'runs that failed within the last hour',
  pending_webhooks:
    'outgoing webhooks that were not delivered yet, including those whose next attempt is later. If the number grows, a receiver is down, or no worker delivers webhooks',
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
      'The state of the queue. Only the service role may read it: `POST /rest/v1/rpc/runner_metrics` with a secret key as `apikey`. It counts only root runs: a run that another run called is part of its root run.',
    ),
    '```sh\ncurl -s -X POST "$API_URL/rest/v1/rpc/runner_metrics" -H "apikey: $SECRET_KEY"\n```',
    markdownTable([['metric', 'counts'], ...names.map((name) => [`\`${name}\``, METRICS[name]!])]),
    paragraph(
      'Workers write a line of JSON for each run that ends and for each failure. The line has ids, durations and the member `event` (`run_finished`, `run_suspended`, `run_interrupted`, `claim_lost`, `queue_unreadable`). The function `runner` writes one line for each slice of its work, `slice_ended` with `counts` of all events, and a line for each failure, at most 50 in 10 seconds; `unlogged` counts the others. [Scaling](../operating/scaling.md) says which figures of the database to watch.',
    ),
  );
}
