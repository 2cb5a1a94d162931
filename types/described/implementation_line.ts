import type { DescribedType } from './types.ts';
import { isDescribedType } from './types.ts';

const memberOf = (json: unknown, name: string): unknown =>
  typeof json === 'object' && json !== null && Object.hasOwn(json, name)
    ? (json as Record<string, unknown>)[name]
    : undefined;

const textOf = (json: unknown): string => typeof json === 'string' ? json : '';

type Line = (implementation: unknown, formData: unknown) => string;

/** The method and the address of a request, with its variables and parameters in braces. */
const openapi: Line = (implementation, formData) => {
  const [method, path] = ['method', 'path'].map((name) => textOf(memberOf(implementation, name)));
  const url = textOf(memberOf(formData, 'server')) || textOf(memberOf(memberOf(implementation, 'server'), 'url'));
  return `${method} ${url.endsWith('/') ? url.slice(0, -1) : url}${path}`;
};

/** The instruction or type of accounts, and the program. */
const solana: Line = (implementation, formData) => {
  const [kind, name] = ['kind', 'name'].map((member) => textOf(memberOf(implementation, member)));
  const program = memberOf(implementation, 'program');
  const address = textOf(memberOf(formData, 'program')) || textOf(memberOf(program, 'address'));
  return `${kind} ${name} of ${textOf(memberOf(program, 'name'))}${address === '' ? '' : ` (${address})`}`;
};

/** The tool and its server. */
const mcp: Line = (implementation) =>
  `${textOf(memberOf(implementation, 'tool'))} of ${textOf(memberOf(implementation, 'url'))}`;

const LINES: { readonly [type in DescribedType]: Line } = { openapi, mcp, solana };

/**
 * Returns what a described node does, in one line. The form data of a node may name another server or program. Works
 * with any JSON, because definitions of others are shown before they are checked.
 */
export const implementationLine = (type: string, implementation: unknown, formData?: unknown): string =>
  isDescribedType(type) ? LINES[type](implementation, formData) : '';
