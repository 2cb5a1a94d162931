import type { ZodError } from 'zod';
import { FlowError } from './flow_error.ts';

/** Makes the error of a value that does not fit a schema. `details` lists all faults. */
export function valueInvalid(what: string, error: ZodError): FlowError {
  const details = error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  const [first] = details;
  return new FlowError({
    code: 'value_invalid',
    message: `This is not ${what}: ${[first?.path, first?.message].filter(Boolean).join(': ')}.`,
    details,
    cause: error,
  });
}
