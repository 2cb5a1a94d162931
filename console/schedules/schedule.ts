import { queryOptions } from '@tanstack/react-query';
import type { DeploymentInput, ScheduleRow } from 'flow-deployments-client';
import type { Api } from '../shared/api.tsx';
import { parseExactly } from '../shared/exact_json.ts';
import { faultsOfValues, toFormValues } from '../shared/form/inputs_schema.ts';
import { isUuid } from '../shared/is_uuid.ts';

/** The settings that the user chooses for a schedule, except its inputs. */
export type ScheduleSettings = Pick<ScheduleRow, 'flow' | 'tag' | 'deployment_id' | 'cron' | 'time_zone' | 'policy'>;

/** A schedule, whose inputs were parsed so that their numbers keep all digits. */
export interface Schedule extends Omit<ScheduleRow, 'inputs' | 'values'> {
  /** Readable JSON. */
  values: { [name: string]: unknown };
  /** Tagged values. */
  inputs: { [name: string]: unknown };
}

/** Reads one schedule; null if it does not exist or belongs to another user. */
export const scheduleQuery = ({ db }: Api, id: string) =>
  queryOptions({
    queryKey: ['schedules', 'one', id],
    queryFn: async ({ signal }): Promise<Schedule | null> => {
      if (!isUuid(id)) return null;
      const { data } = await db.from('flow_schedules').select('*, exact_values:values::text').eq('id', id)
        .abortSignal(signal).maybeSingle().throwOnError();
      if (data === null) return null;
      const { exact_values, ...row } = data;
      // SAFETY: the database allows only objects in both columns.
      return {
        ...row,
        values: parseExactly(exact_values) as Schedule['values'],
        inputs: row.inputs as Schedule['inputs'],
      };
    },
  });

/**
 * The inputs of a schedule in the editor: the values of a form, or the JSON texts of the two columns `values` and
 * `inputs`.
 */
export type InputsDraft =
  | { kind: 'form'; values: { [name: string]: unknown }; inputs: { [name: string]: unknown } }
  | { kind: 'JSON'; values: string; inputs: string };

/** An error that lists the faults of a draft. */
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
    // If a text is not JSON, the error below is thrown.
  }
  throw new DraftError(`The ${name} must be a JSON object, such as {"amount": 1.5}.`, []);
}

const write = (value: unknown): string => JSON.stringify(value, undefined, 2);

/** Converts a draft to texts. */
export const asJson = ({ values, inputs }: InputsDraft): InputsDraft => ({
  kind: 'JSON',
  values: typeof values === 'string' ? values : write(values),
  inputs: typeof inputs === 'string' ? inputs : write(inputs),
});

/** Converts a draft to the two columns. Throws a DraftError if a text is not a JSON object. */
export const readDraft = (
  draft: InputsDraft,
): { values: { [name: string]: unknown }; inputs: { [name: string]: unknown } } =>
  draft.kind === 'form' ? { values: draft.values, inputs: draft.inputs } : {
    values: readObject('values', draft.values),
    inputs: readObject('tagged inputs', draft.inputs),
  };

/** Converts a draft to a form for these inputs. Throws like `readDraft`. */
export function asForm(draft: InputsDraft, taken: readonly DeploymentInput[]): InputsDraft {
  const { values, inputs } = readDraft(draft);
  return { kind: 'form', values: toFormValues(taken, values), inputs };
}

/** Returns the inputs that have a field in the form: all inputs except those that are given as tagged values. */
export const inForm = (taken: readonly DeploymentInput[], inputs: object): DeploymentInput[] =>
  taken.filter(({ name }) => !Object.hasOwn(inputs, name));

/** Throws if the values do not match the inputs. Checks nothing if the inputs are not known. */
export function checkDraft(draft: InputsDraft, taken: readonly DeploymentInput[] | undefined): void {
  if (draft.kind !== 'form' || taken === undefined) return;
  const faults = faultsOfValues(inForm(taken, draft.inputs), draft.values);
  if (faults.length > 0) throw new DraftError('The values do not match the inputs of the deployment.', faults);
}
