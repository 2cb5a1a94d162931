import type { DescribedJson } from '../documents.ts';
import { listOf, memberOf, objectOf, printable, textOf } from '../documents.ts';
import type { IdlProgram } from './program.ts';
import type { KnownTypes } from './types.ts';

/** A program of an IDL, and what its instructions and accounts share. */
export interface ProgramReading {
  program: IdlProgram;
  known: KnownTypes;
  /** The name of the program in snake case. */
  name: string;
  errors: { code: number; name: string; message: string }[];
}

const MAX_ERRORS = 500;
const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** Reads an address in base58; undefined for any other JSON. */
export const addressOf = (json: unknown): string | undefined => {
  const text = textOf(json);
  return text !== undefined && ADDRESS.test(text) ? text : undefined;
};

/** The members of an implementation that say which program it is. */
export const programOf = ({ program, name }: ProgramReading): { name: string; address?: string } => {
  const address = addressOf(program.address);
  return { name, ...(address !== undefined && { address }) };
};

/** Joins the lines of documentation of a part of an IDL. */
export const docsOf = (node: DescribedJson, most: number): string =>
  printable(listOf(node.docs).filter((line) => typeof line === 'string').join(' '), most);

/** Reads the errors of a program: the code, the name and the message of each one. */
export function readErrors(errors: readonly unknown[]): ProgramReading['errors'] {
  return errors.slice(0, MAX_ERRORS).flatMap((json) => {
    const { code, name, message, msg } = objectOf(json);
    if (!Number.isSafeInteger(code) || typeof name !== 'string') return [];
    return [{
      code: code as number,
      name: printable(name, 100),
      message: printable(textOf(message) ?? textOf(msg) ?? '', 200),
    }];
  });
}

/** Returns the kind of a node of the Codama standard; empty for any other JSON. */
export const kindOf = (node: unknown): string => textOf(memberOf(node, 'kind')) ?? '';
