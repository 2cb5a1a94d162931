import type { DeploymentDescription, DeploymentInput } from '../flow_client.ts';
import { givenKinds, type Kind, KINDS } from '../../types/values/port_types.ts';
import { printableJson, printableLine } from './printable.ts';

type Schema = { [keyword: string]: unknown };

/** Returns the JavaScript types that an input with this schema accepts. */
function inputTypes(schema: Schema): string[] {
  if (Array.isArray(schema.enum)) return schema.enum.map((choice) => printableJson(choice));
  if (Array.isArray(schema.anyOf)) return schema.anyOf.flatMap((one) => inputTypes(one as Schema));
  switch (schema.type) {
    case 'integer':
    case 'number':
      return ['number', 'bigint'];
    case 'boolean':
      return ['boolean'];
    case 'string':
      return schema.contentEncoding === 'base64' ? ['string', 'Uint8Array'] : ['string'];
    case 'object':
      return ['{ [name: string]: PlainValue }'];
    case 'array':
      return ['PlainValue[]'];
    default:
      return ['PlainValue'];
  }
}

const union = (types: string[]): string =>
  types.includes('PlainValue') ? 'PlainValue' : [...new Set(types)].join(' | ');

/** The JavaScript type that `fromValue` gives to each kind of value. */
const TYPE_OF_KIND: { readonly [kind in Kind]: string } = {
  N: 'null',
  S: 'string',
  'key text': 'string',
  B: 'boolean',
  U: 'bigint',
  I: 'bigint',
  U1: 'bigint',
  I1: 'bigint',
  F: 'number',
  D: 'string',
  B3: 'string',
  B6: 'string',
  BY: 'Uint8Array',
  A: 'PlainValue[]',
  M: '{ [name: string]: PlainValue }',
  wallet: '{ [name: string]: PlainValue }',
};

/** Returns the JavaScript type that `fromValue` gives to an output with this port type. */
function outputType(type: string): string {
  const kinds = givenKinds(type);
  return kinds === KINDS ? 'PlainValue' : union(kinds.map((kind) => TYPE_OF_KIND[kind]));
}

/** Escapes a text so that it can't end the comment around it. */
const inComment = (text: string): string => printableLine(text).replaceAll('*/', '*\\/');

const member = (name: string, isOptional: boolean, type: string): string =>
  `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : printableJson(name)}${isOptional ? '?' : ''}: ${type};`;

function inputMember({ name, description, required, default: fallback, json_schema }: DeploymentInput): string {
  const told = [
    json_schema.description !== undefined && typeof json_schema.title === 'string' ? `${json_schema.title}.` : '',
    description,
    fallback === null || fallback === undefined ? '' : `Default: ${printableJson(fallback)}`,
  ].filter((text) => text).map(inComment).join(' ');
  const comment = told === '' ? '' : `    /** ${told} */\n`;
  return `${comment}    ${member(name, !required, union(inputTypes(json_schema)))}\n`;
}

/**
 * Tests whether a type may have this name. No keyword of TypeScript begins with a capital letter. The two excluded
 * names are used in the generated source.
 */
export const isTypeName = (name: string): boolean =>
  /^[A-Z][\w$]{0,99}$/.test(name) && name !== 'PlainValue' && name !== 'Uint8Array';

/** Makes a TypeScript name from a deployment's name: `Tea shop` becomes `TeaShop`. */
const typeName = (name: string): string => {
  const words = name.slice(0, 100).split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const joined = words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('');
  return isTypeName(joined) ? joined : `Deployment${joined}`;
};

/** Writes the TypeScript for `client.deployment<…>()`: the inputs and outputs of a deployment. */
export function typeSource(
  { deployment_id, name, inputs, outputs }: DeploymentDescription,
  as = typeName(name),
): string {
  const outputMembers = outputs.map(({ name, type }) => `    ${member(name, false, outputType(type))}\n`);
  const body = `  inputs: {\n${inputs.map(inputMember).join('')}  };\n  outputs: {\n${outputMembers.join('')}  };\n`;
  const head = body.includes('PlainValue') ? "import type { PlainValue } from 'flow-deployments-client';\n\n" : '';
  return `${head}/** Deployment ${inComment(deployment_id)}: ${
    inComment(name)
  }. */\nexport interface ${as} {\n${body}}\n`;
}
