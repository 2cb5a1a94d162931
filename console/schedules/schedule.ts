import { queryOptions } from '@tanstack/react-query';
import type { DeploymentInput, ScheduleRow } from 'flow-deployments-client';
import type { Api } from '../shared/api.tsx';
import { parseExactly } from '../shared/exact_json.ts';
import { faultsOfValues, toFormValues } from '../shared/form/inputs_schema.ts';
import { isUuid } from '../shared/is_uuid.ts';

/** What a person decides of a schedule beside its inputs; the rest the system keeps. */
export type ScheduleSettings = Pick<ScheduleRow, 'flow' | 'tag' | 'deployment_id' | 'cron' | 'time_zone' | 'policy'>;

/** A schedule whose inputs are as exact as they are stored. */
export interface Schedule extends Omit<ScheduleRow, 'inputs' | 'values'> {
  /** Plain JSON. */
  values: { [name: string]: unknown };
  /** Tagged values. */
  inputs: { [name: string]: unknown };
}

/** Reads one schedule; null when there is none, or it is somebody else's. */
export const scheduleQuery = ({ db }: Api, id: string) =>
  queryOptions({
    queryKey: ['schedules', 'one', id],
    queryFn: async ({ signal }): Promise<Schedule | null> => {
      if (!isUuid(id)) return null;
      const { data } = await db.from('flow_schedules').select('*, exact_values:values::text').eq('id', id)
        .abortSignal(signal).maybeSingle().throwOnError();
      if (data === null) return null;
      const { exact_values, ...row } = data;
      // SAFETY: the database holds both columns to objects.
      return {
        ...row,
        values: parseExactly(exact_values) as Schedule['values'],
        inputs: row.inputs as Schedule['inputs'],
      };
    },
  });

/** The inputs of a schedule while they are edited: as a form, or as the texts of both columns. */
export type InputsDraft =
  | { kind: 'form'; values: { [name: string]: unknown }; inputs: { [name: string]: unknown } }
  | { kind: 'JSON'; values: string; inputs: string };

/** What is wrong with a draft, in the form of errors that are shown. */
class DraftError extends Error {
  readonly details: string[];
  constructor(message: string, details: string[]) {
    super(message);
    this.details = details;
  }
}

function readObject(name: string, text: string): { [name: string]: unknown } {
  try {
    const read = parseExactly(text.trim() === '' ? '{}' : text);
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return read as { [name: string]: unknown };
  } catch {
    // It is told below.
  }
  throw new DraftError(`The ${name} must be a JSON object, such as {"amount": 1.5}.`, []);
}

const write = (value: unknown): string => JSON.stringify(value, undefined, 2);

/** The same inputs as texts. */
export const asJson = ({ values, inputs }: InputsDraft): InputsDraft => ({
  kind: 'JSON',
  values: typeof values === 'string' ? values : write(values),
  inputs: typeof inputs === 'string' ? inputs : write(inputs),
});

/** The columns that a draft stands for. Throws what is to be shown where it is no JSON. */
export const readDraft = (
  draft: InputsDraft,
): { values: { [name: string]: unknown }; inputs: { [name: string]: unknown } } =>
  draft.kind === 'form' ? { values: draft.values, inputs: draft.inputs } : {
    values: readObject('values', draft.values),
    inputs: readObject('tagged inputs', draft.inputs),
  };

/** The same inputs as a form of what is taken. Throws as `readDraft` does. */
export function asForm(draft: InputsDraft, taken: readonly DeploymentInput[]): InputsDraft {
  const { values, inputs } = readDraft(draft);
  return { kind: 'form', values: toFormValues(taken, values), inputs };
}

/** The inputs for which the form has a field: those that are not given as tagged values. */
export const inForm = (taken: readonly DeploymentInput[], inputs: object): DeploymentInput[] =>
  taken.filter(({ name }) => !Object.hasOwn(inputs, name));

/** Refuses inputs that do not fit what is taken, as far as that is known. */
export function checkDraft(draft: InputsDraft, taken: readonly DeploymentInput[] | undefined): void {
  if (draft.kind !== 'form' || taken === undefined) return;
  const faults = faultsOfValues(inForm(taken, draft.inputs), draft.values);
  if (faults.length > 0) throw new DraftError('The inputs do not fit what the deployment takes.', faults);
}
