import type { RunStatus } from 'flow-deployments-client';
import { useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { isUuid } from '../../shared/is_uuid.ts';

/** The statuses of a run, in the usual order. */
export const STATUSES = [
  'queued',
  'running',
  'waiting',
  'succeeded',
  'failed',
  'stopped',
] as const satisfies RunStatus[];

/** The kinds of starters of runs, each with its name in the list of choices. */
export const STARTERS = {
  user: 'a user',
  key: 'a key',
  schedule: 'a schedule',
  webhook: 'a webhook',
  row_start: 'a change of a row',
  flow: 'a flow',
} as const;
export type StarterKind = keyof typeof STARTERS;

/** The filter of a list of runs. It is stored in the address. */
export interface RunSearch {
  /** A text in the errors of a run, or the beginning of the id of a run or of a run's starter. */
  search?: string | undefined;
  flow?: number | undefined;
  deployment?: string | undefined;
  /** The schedule or the webhook that started the runs. */
  schedule?: string | undefined;
  webhook?: string | undefined;
  starter?: StarterKind | undefined;
  status?: RunStatus | undefined;
  /** Local times in the format of their fields: `2026-11-23T08:15`. */
  from?: string | undefined;
  until?: string | undefined;
}

/** The filter that all runs match. */
export const NO_FILTER: RunSearch = {
  search: undefined,
  flow: undefined,
  deployment: undefined,
  schedule: undefined,
  webhook: undefined,
  starter: undefined,
  status: undefined,
  from: undefined,
  until: undefined,
};

const timeOf = (text: string | null): string | undefined =>
  text !== null && !Number.isNaN(new Date(text).getTime()) ? text : undefined;

/** Reads the filter of an address. Invalid parts are ignored. */
export function readFilter(parameters: URLSearchParams): RunSearch {
  const flow = Number(parameters.get('flow'));
  const idAt = (name: string): string | undefined => {
    const id = parameters.get(name) ?? '';
    return isUuid(id) ? id : undefined;
  };
  return {
    search: parameters.get('search') || undefined,
    flow: Number.isSafeInteger(flow) && flow > 0 ? flow : undefined,
    deployment: idAt('deployment'),
    schedule: idAt('schedule'),
    webhook: idAt('webhook'),
    // SAFETY: the keys of the object are the kinds.
    starter: (Object.keys(STARTERS) as StarterKind[]).find((kind) => kind === parameters.get('starter')),
    status: STATUSES.find((status) => status === parameters.get('status')),
    from: timeOf(parameters.get('from')),
    until: timeOf(parameters.get('until')),
  };
}

/** Returns the filter in the page's address, and a function that changes it. */
export function useRunFilter(): [RunSearch, (changed: RunSearch) => void] {
  const [parameters, setParameters] = useSearchParams();
  const filter = useMemo(() => readFilter(parameters), [parameters]);
  const change = (changed: RunSearch) =>
    setParameters((old) => {
      const next = new URLSearchParams(old);
      // The list begins at its first page after each change of the filter.
      next.delete('page');
      for (const [name, value] of Object.entries(changed)) {
        if (value === undefined || value === '') next.delete(name);
        else next.set(name, String(value));
      }
      return next;
    });
  return [filter, change];
}
