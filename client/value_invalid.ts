import { FlowError } from './flow_error.ts';

/**
 * The part of a ZodError that this file needs. This file does not import zod, so that programs that check nothing with
 * zod do not load zod.
 */
interface SchemaError {
  issues: { path: PropertyKey[]; message: string }[];
}

/** Makes the error of a value that does not fit a schema. `details` lists all faults. */
export function valueInvalid(what: string, error: SchemaError): FlowError {
  const details = error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  const [first] = details;
  return new FlowError({
    code: 'value_invalid',
    message: `This is not ${what}: ${[first?.path, first?.message].filter(Boolean).join(': ')}.`,
    details,
    cause: error,
  });
}
