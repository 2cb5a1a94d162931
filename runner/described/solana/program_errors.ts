import type { SolanaInstruction } from '../../../types/described/solana/implementation.ts';

/** Returns the code of a program's error in the message of a failed transaction; undefined if it is of another kind. */
function codeIn(message: string, program: string): number | undefined {
  const log = /Program (\w+) failed: custom program error: 0x([0-9a-f]{1,8})\b/.exec(message);
  // A program that the instruction calls may fail first, and its codes have other meanings.
  if (log !== null) return log[1] === program ? Number.parseInt(log[2] ?? '', 16) : undefined;
  const reported = /"Custom":(\d{1,10})\b/.exec(message) ?? /custom program error: 0x([0-9a-f]{1,8})\b/.exec(message);
  return reported === null ? undefined : Number.parseInt(reported[1] ?? '', reported[0].startsWith('"') ? 10 : 16);
}

/** Writes the name of a program's error, and its message, before the message of a failed transaction. */
export function nameError(message: string, program: string, errors: SolanaInstruction['errors']): string {
  const code = codeIn(message, program);
  const known = errors.find((error) => error.code === code);
  if (known === undefined) return message;
  return `${known.name}${known.message === '' ? '' : `: ${known.message}`}\n${message}`;
}
