import type { RunStatus } from 'flow-deployments-client';
import { useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { isUuid } from '../shared/is_uuid.ts';

/** The states of a run, in the order of its life. */
export const STATUSES = [
  'queued',
  'running',
  'waiting',
  'succeeded',
  'failed',
  'stopped',
] as const satisfies RunStatus[];

/** Which runs to show. It stands in the address. */
export interface RunSearch {
  flow?: number | undefined;
  deployment?: string | undefined;
  /** The schedule or the webhook that started them. */
  schedule?: string | undefined;
  webhook?: string | undefined;
  status?: RunStatus | undefined;
  /** Local times, as a field for them has: `2026-11-23T08:15`. */
  from?: string | undefined;
  until?: string | undefined;
}

/** The filter that all runs pass. */
export const NO_FILTER: RunSearch = {
  flow: undefined,
  deployment: undefined,
  schedule: undefined,
  webhook: undefined,
  status: undefined,
  from: undefined,
  until: undefined,
};

/** The first id that a run of this time or later may have: ids begin with their time. */
export function firstIdAt(time: Date): string {
  const digits = Math.max(0, time.getTime()).toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-7000-8000-000000000000`;
}

const timeOf = (text: string | null): string | undefined =>
  text !== null && !Number.isNaN(new Date(text).getTime()) ? text : undefined;

/** Reads the filter of an address. What is no filter there is left out. */
export function readFilter(parameters: URLSearchParams): RunSearch {
  const flow = Number(parameters.get('flow'));
  const idAt = (name: string): string | undefined => {
    const id = parameters.get(name) ?? '';
    return isUuid(id) ? id : undefined;
  };
  return {
    flow: Number.isSafeInteger(flow) && flow > 0 ? flow : undefined,
    deployment: idAt('deployment'),
    schedule: idAt('schedule'),
    webhook: idAt('webhook'),
    status: STATUSES.find((status) => status === parameters.get('status')),
    from: timeOf(parameters.get('from')),
    until: timeOf(parameters.get('until')),
  };
}

/** The filter of this page's address, and how to change it. */
export function useRunFilter(): [RunSearch, (changed: RunSearch) => void] {
  const [parameters, setParameters] = useSearchParams();
  const filter = useMemo(() => readFilter(parameters), [parameters]);
  const change = (changed: RunSearch) =>
    setParameters((old) => {
      const next = new URLSearchParams(old);
      // Other runs begin at their first page.
      next.delete('page');
      for (const [name, value] of Object.entries(changed)) {
        if (value === undefined || value === '') next.delete(name);
        else next.set(name, String(value));
      }
      return next;
    });
  return [filter, change];
}
