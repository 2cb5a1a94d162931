import { type Schema, Validator } from '@cfworker/json-schema';
import {
  createErrorHandler,
  type CustomValidator,
  ErrorSchemaBuilder,
  type ErrorTransformer,
  getDefaultFormState,
  type RJSFSchema,
  type RJSFValidationError,
  toErrorList,
  type UiSchema,
  unwrapErrorHandler,
  validationDataMerge,
  type ValidatorType,
} from '@rjsf/utils';
import { roundExactNumbers } from './exact_numbers.ts';
import { faultWords } from './fault_words.ts';

/** Converts `#/a/0/b~1c` to the path of a field, `['a', '0', 'b/c']`. */
const pathOf = (location: string): string[] =>
  location.split('/').slice(1).map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'));

/** A fault of a field. The form library finds fields by `property`, which is ambiguous if a name has a dot. */
interface FieldFault extends RJSFValidationError {
  path: string[];
}

/** Makes a fault of the field at this path. */
export const faultAt = (path: string[], name: string, message: string): FieldFault => ({
  name,
  message,
  path,
  property: `.${path.join('.')}`,
  stack: `${path.join('.')}: ${message}`,
});

/**
 * Keywords whose faults are left out, because the validator also reports the fault of the inner part that causes them.
 */
const OUTER = new Set(['properties', 'items', 'allOf', 'additionalProperties', '$ref', 'if', 'then', 'else']);

/** Returns the faults of a value. Throws if the validator can't read the schema. */
function faultsOf(schema: RJSFSchema, value: unknown): FieldFault[] {
  // SAFETY: both types describe JSON Schema draft 7.
  const validator = new Validator(schema as Schema, '7', false);
  const { errors } = validator.validate(roundExactNumbers(value));
  return errors.filter(({ keyword }) => !OUTER.has(keyword)).map(({ keyword, instanceLocation, error }) => {
    const missing = keyword === 'required' ? /"([^"]*)"/.exec(error)?.[1] : undefined;
    const path = pathOf(instanceLocation);
    if (missing !== undefined) return faultAt([...path, missing], keyword, 'must be given');
    return faultAt(path, keyword, faultWords(keyword, error));
  });
}

/** Arranges faults by their fields. */
function errorSchemaOf(faults: readonly RJSFValidationError[]) {
  const builder = new ErrorSchemaBuilder();
  for (const fault of faults) builder.addErrors(fault.message ?? '', 'path' in fault ? fault.path as string[] : []);
  return builder.ErrorSchema;
}

/**
 * Validates forms without generating code. The form library's usual validator (ajv) generates code from schemas, which
 * strangers may have written. The Content-Security-Policy forbids such code.
 */
export const schemaValidator: ValidatorType = {
  rawValidation(schema, formData) {
    try {
      // SAFETY: the caller chooses the type of the errors, and all callers choose RJSFValidationError.
      return { errors: faultsOf(schema, formData) as never[] };
    } catch (error) {
      return { errors: [], validationError: error instanceof Error ? error : new Error(String(error)) };
    }
  },
  isValid(schema, formData, rootSchema) {
    try {
      return faultsOf({ ...schema, definitions: rootSchema.definitions, $defs: rootSchema.$defs }, formData).length ===
        0;
    } catch {
      return false;
    }
  },
  validateFormData(
    formData: unknown,
    schema: RJSFSchema,
    customValidate?: CustomValidator,
    transformErrors?: ErrorTransformer,
    uiSchema?: UiSchema,
  ) {
    const { errors: raw = [], validationError } = this.rawValidation<RJSFValidationError>(schema, formData);
    const all = validationError === undefined
      ? raw
      : [{ stack: validationError.message, message: validationError.message }];
    const errors = transformErrors === undefined ? all : transformErrors(all, uiSchema);
    const validation = { errors, errorSchema: errorSchemaOf(errors) };
    if (customValidate === undefined) return validation;
    const state = getDefaultFormState(this, schema, formData, schema, true);
    const handler = customValidate(state, createErrorHandler(state), uiSchema, validation.errorSchema);
    const custom = unwrapErrorHandler(handler);
    return validationDataMerge(
      { errors: [...errors, ...toErrorList(custom)], errorSchema: validation.errorSchema },
      custom,
    );
  },
};
