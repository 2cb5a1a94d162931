import type { DeploymentInput, PlainValues } from 'flow-deployments-client';
import { schemaValidator } from '../shared/form/schema_validator.ts';
import { inputsForm } from '../shared/form/inputs_schema.ts';
import { isObject } from '../shared/graph/drawn_node.ts';

/** The most characters of the values in a link, because messengers cut off longer addresses. */
export const MAX_LINK_CHARACTERS = 4_000;

/** The values of a link for the form, and remarks about the values that were left out. */
interface LinkValues {
  values: PlainValues;
  remarks: string[];
}

const NOTHING: LinkValues = { values: {}, remarks: [] };

/** True for an input whose values are secret and never go into a link, because people copy and keep links. */
const isSecret = ({ type_bounds }: DeploymentInput): boolean => type_bounds.includes('keypair');

function parse(text: string): unknown {
  try {
    return JSON.parse(decodeURIComponent(text));
  } catch {
    return undefined;
  }
}

/**
 * Reads the values behind `#inputs=` of an address. A stranger may have made the link, so values of unknown inputs, of
 * secrets and of wrong types are left out, and nothing starts by itself.
 */
export function readLinkValues(hash: string, inputs: readonly DeploymentInput[]): LinkValues {
  const text = /^#inputs=(.*)$/.exec(hash)?.[1];
  if (text === undefined) return NOTHING;
  if (text.length > MAX_LINK_CHARACTERS) return { values: {}, remarks: ['The link has too many values.'] };
  const given = parse(text);
  if (!isObject(given)) return { values: {}, remarks: ['The values of the link can not be read.'] };
  const values: PlainValues = {};
  const remarks: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    const input = inputs.find((known) => known.name === name);
    if (input === undefined || isSecret(input)) {
      remarks.push(`The link has a value for ${name}, which it can not give.`);
    } else {
      const { properties } = inputsForm([input]).schema;
      const { errors } = schemaValidator.validateFormData({ [name]: value }, { type: 'object', properties });
      if (errors.length === 0) Object.assign(values, { [name]: value });
      else remarks.push(`The link has a wrong value for ${name}: ${errors[0]!.message}.`);
    }
  }
  return { values, remarks };
}

/** Makes a link to the page with these values; undefined if they are too long for a link. */
export function linkWithValues(
  address: string,
  values: unknown,
  inputs: readonly DeploymentInput[],
): string | undefined {
  const given = isObject(values) ? values : {};
  const shown = inputs.filter((input) => !isSecret(input) && given[input.name] !== undefined)
    .map(({ name }) => [name, given[name]]);
  const page = address.replace(/#.*$/, '');
  if (shown.length === 0) return page;
  const text = encodeURIComponent(JSON.stringify(Object.fromEntries(shown)));
  return text.length > MAX_LINK_CHARACTERS ? undefined : `${page}#inputs=${text}`;
}
